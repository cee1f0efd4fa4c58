"""The limits of what can be traced, for the command line, Python and the server alike."""

from dataclasses import replace

import pytest

from saccade.errors import ConfigError, InputError
from saccade.tracing.options import LONGEST_TEXT, TraceOptions
from saccade.tracing.trace import LONGEST, trace
from saccade.tracing.what_if import WhatIf


@pytest.mark.parametrize("size", [0, -1, 65, 10**12])
def test_a_beam_is_neither_empty_nor_wider_than_can_be_drawn(size):
    with pytest.raises(ConfigError, match=f"from 1 to 64, but is {size}"):
        TraceOptions(size=size)


@pytest.mark.parametrize("alpha", [-0.1, 10.1, float("nan"), float("inf")])
def test_a_length_penalty_cannot_overflow(alpha):
    with pytest.raises(ConfigError, match="`alpha` must be from 0 to 10"):
        TraceOptions(alpha=alpha)


@pytest.mark.parametrize("name", ["force", "prefix"])
def test_a_given_target_is_a_text_of_a_length_that_can_be_read(name):
    with pytest.raises(InputError, match=f"`{name}` must have at most"):
        TraceOptions(**{name: "a" * (LONGEST_TEXT + 1)})
    with pytest.raises(InputError, match=f"`{name}` must be Unicode text, .* at character 2"):
        TraceOptions(**{name: "a\ud800"})


def test_a_sentence_is_a_text_of_a_length_that_can_be_read(bundle):
    with pytest.raises(InputError, match="`text` must have at most"):
        trace(bundle("transformer"), "a" * (LONGEST_TEXT + 1))
    with pytest.raises(InputError, match="`text` must be Unicode text"):
        trace(bundle("transformer"), "a\udc00")


@pytest.mark.slow
def test_a_model_saved_with_a_beam_too_wide_asks_for_another(bundle):
    traced = replace(bundle("transformer"), decoding={"size": 65})
    with pytest.raises(ConfigError, match="at most 64 for a trace, but the model was saved with 65"):
        trace(traced, "A dog.")
    assert trace(traced, "A dog.", TraceOptions(size=2))["beam"]["k"] == 2


@pytest.mark.slow
def test_an_output_is_no_longer_than_can_be_shown(bundle):
    traced = replace(bundle("rnnsearch"), decoding={"size": 1, "extra_length": 10**6})
    found = trace(traced, "A dog.")
    assert found["beam"]["limit"] == len(found["axes"]["source"]["tokens"]) + LONGEST


@pytest.mark.parametrize("value", [None, "hot", 0, -1, 1e-300, float("nan"), float("inf"), 10**90, True])
def test_a_temperature_leaves_scores_finite(value):
    with pytest.raises(ConfigError, match="`what_if.value` must be a temperature from"):
        WhatIf(name="temperature", value=value)


@pytest.mark.parametrize("value", ["seven", 1.5, -1, 2**32, 10**90, True])
def test_a_seed_is_a_whole_number_that_generators_take(value):
    with pytest.raises(ConfigError, match="`what_if.value` must be a seed from"):
        WhatIf(name="shuffled-positions", value=value)
