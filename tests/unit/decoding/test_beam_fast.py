"""The fast search finds what the readable one finds."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.ensemble import Ensemble
from saccade.errors import RunError
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert [(one.tokens, one.finished) for one in ours] == [(one.tokens, one.finished) for one in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-9)
            assert one.log_probability == pytest.approx(other.log_probability, abs=1e-9)
            assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-9)


searches = st.builds(
    lambda size, nbest, alpha, extra, stop: BeamConfig(
        size=size, nbest=math.ceil(nbest * size), alpha=alpha, extra_length=extra, stop=stop
    ),
    st.integers(1, 6),
    st.floats(0.01, 1.0),
    st.sampled_from([0.0, 0.6, 1.3]),
    st.integers(0, 8),
    st.sampled_from(["returned", "worst-finished", "current-length", "longest-length", "first-finished"]),
)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 1000),
    vocabulary=st.sampled_from([4, 5, 7, 11, 63, 64, 65, 131, 300]),
    lengths=st.lists(st.integers(0, 7), min_size=1, max_size=7),
    config=searches,
)
def test_it_finds_what_the_plain_search_finds(tiny, seed, vocabulary, lengths, config):
    model = tiny(seed, vocabulary)
    generator = torch.Generator().manual_seed(seed)
    sources = [
        [*torch.randint(min(4, vocabulary - 1), vocabulary, (length,), generator=generator).tolist(), EOS]
        for length in lengths
    ]
    source = Sequences.of(sources)
    assert_same(fast_search(model, source, config), beam_search(model, source, config))


@settings(max_examples=10, deadline=None)
@given(
    levels=st.integers(1, 3), vocabulary=st.sampled_from([5, 11, 67, 131]), seed=st.integers(0, 1000), config=searches
)
def test_ties_are_ordered_by_the_same_rule(tiny, levels, vocabulary, seed, config):
    model = tiny(seed, vocabulary)
    with torch.no_grad():
        # Whole groups of tokens share one row of the output matrix, and so one probability.
        model.output.weight.copy_(model.output.weight[torch.arange(vocabulary) % levels])
    source = Sequences.of(SOURCES if vocabulary >= 11 else [[4, EOS], [EOS]])
    assert_same(fast_search(model, source, config), beam_search(model, source, config))


def test_a_model_without_opinions_is_searched_the_same(tiny):
    model, config = tiny(11, 300), BeamConfig(size=3, nbest=3, alpha=0.0, extra_length=5)
    with torch.no_grad():
        model.output.weight.zero_()
    source = Sequences.of([[4, EOS], [5, 6, EOS]])
    assert_same(fast_search(model, source, config), beam_search(model, source, config))


def test_members_of_an_ensemble_write_together(tiny):
    together, config = Ensemble([tiny(5), tiny(6)]), BeamConfig(nbest=4, extra_length=4)
    source = Sequences.of(SOURCES)
    assert_same(fast_search(together, source, config), beam_search(together, source, config))


def test_a_forced_beginning_and_coverage_are_the_plain_search(tiny):
    model, source = tiny(7), Sequences.of(SOURCES)
    prefix = Sequences.of([[9, 9], [], [5], [2, 4, 6], [10]])
    for config in (BeamConfig(extra_length=5), BeamConfig(extra_length=5, coverage=0.8)):
        assert fast_search(model, source, config, prefix) == beam_search(model, source, config, prefix)


@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 1000), beginning=st.lists(st.integers(4, 10), min_size=1, max_size=2), config=searches,
    rule=st.sampled_from(["gnmt", "power"]),
)  # fmt: skip
def test_a_beginning_that_is_given_costs_nothing_and_counts_in_the_length(tiny, seed, beginning, config, rule):
    model, source = tiny(seed), Sequences.of(SOURCES)
    config = replace(config, unscored_prefix=len(beginning), length_rule=rule)
    prefix = Sequences.of([beginning, [7] * len(beginning), beginning, beginning, beginning[::-1]])
    found = fast_search(model, source, config, prefix)
    assert_same(found, beam_search(model, source, config, prefix))
    for hypotheses, given_tokens in zip(found, prefix.tokens.tolist(), strict=True):
        for one in hypotheses:
            assert list(one.tokens[: len(beginning)]) == given_tokens
            assert one.token_log_probabilities[: len(beginning)] == (0.0,) * len(beginning)
            assert one.score == pytest.approx(one.log_probability / config.penalty(len(one.tokens)))


def test_no_sentences_give_no_outputs(tiny):
    assert fast_search(tiny(1), Sequences.of([]), BeamConfig()) == []


def test_weights_that_are_not_finite_are_refused(tiny):
    model = tiny(12)
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
    with pytest.raises(RunError, match="not finite"):
        fast_search(model, Sequences.of(SOURCES), BeamConfig())


def test_a_model_that_still_trains_is_a_mistake(tiny):
    with pytest.raises(AssertionError, match="eval"):
        fast_search(tiny(13).train(), Sequences.of(SOURCES), BeamConfig())
