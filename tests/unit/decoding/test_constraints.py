import pytest
import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.constraints import LONGEST_EXTRA, Constraints
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, InputError
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

SOURCE = Sequences.of([[4, 5, 6, EOS], [7, EOS]])


def test_limit_is_the_length_of_the_source_and_the_extra_length(tiny):
    assert Constraints.of(tiny(0), SOURCE, 5, None).limits.tolist() == [9, 7]


def test_limit_is_the_models_where_that_is_shorter(tiny):
    assert Constraints.of(tiny(0, maximum_length=8), SOURCE, 5, None).limits.tolist() == [8, 7]


def test_padding_and_start_are_never_written_and_the_rest_is_not_renormalised(tiny):
    logits = torch.randn(2, 11, generator=torch.Generator().manual_seed(5))
    found = Constraints.of(tiny(0), SOURCE, 5, None).log_probabilities(logits, 0)
    expected = logits.log_softmax(1)
    assert found[:, [PAD, BOS]].isneginf().all()
    others = [token for token in range(11) if token not in (PAD, BOS)]
    assert torch.equal(found[:, others], expected[:, others])


def test_half_precision_logits_are_normalised_in_single_precision(tiny):
    logits = torch.zeros(2, 11, dtype=torch.bfloat16)
    found = Constraints.of(tiny(0), SOURCE, 5, None).log_probabilities(logits, 0)
    assert found[0, 4].item() == pytest.approx(-torch.tensor(11.0).log().item(), abs=1e-7)


def test_a_forced_token_keeps_its_probability_and_all_others_lose_theirs(tiny):
    prefix = Sequences.of([[8, 9], []])
    logits = torch.randn(4, 11, generator=torch.Generator().manual_seed(5))
    found = Constraints.of(tiny(0), SOURCE, 5, prefix).log_probabilities(logits, 1)
    expected = logits.log_softmax(1)
    assert torch.equal(found[:2, 9], expected[:2, 9])
    assert found[:2].isfinite().sum() == 2
    assert torch.equal(found[2:, 4:], expected[2:, 4:])


@pytest.mark.parametrize("token", [PAD, EOS, BOS, 11, -1])
def test_a_prefix_of_anything_but_text_is_refused(tiny, token):
    with pytest.raises(InputError, match="ordinary tokens"):
        Constraints.of(tiny(0), SOURCE, 5, Sequences.of([[4, token], []]))


def test_a_prefix_longer_than_its_source_has_as_much_room_after_it(tiny):
    assert Constraints.of(tiny(0), SOURCE, 5, Sequences.of([[4], [4] * 6])).limits.tolist() == [9, 12]


def test_a_prefix_without_room_for_more_is_refused(tiny):
    with pytest.raises(InputError, match="7 tokens, but has 7"):
        Constraints.of(tiny(0, maximum_length=7), SOURCE, 5, Sequences.of([[4], [4] * 7]))


def test_a_prefix_for_another_number_of_sources_is_refused(tiny):
    with pytest.raises(InputError, match="1 for 2 sources"):
        Constraints.of(tiny(0), SOURCE, 5, Sequences.of([[4]]))


@pytest.mark.parametrize("search", [BeamConfig, SamplingConfig])
@pytest.mark.parametrize("value", [-1, LONGEST_EXTRA + 1, 2**63 - 2, 2**64])
def test_an_extra_length_that_no_output_can_have_is_refused(search, value):
    with pytest.raises(ConfigError, match="`extra_length` must be from 0 to 1,000,000"):
        search(extra_length=value)


@pytest.mark.parametrize("search", [BeamConfig, SamplingConfig])
def test_fewer_than_no_tokens_cannot_cost_nothing(search):
    with pytest.raises(ConfigError, match="`unscored_prefix` must be 0 or more, but is -1"):
        search(unscored_prefix=-1)


def test_the_largest_extra_length_is_as_long_as_the_model_writes(tiny):
    assert Constraints.of(tiny(0), SOURCE, LONGEST_EXTRA, None).limits.tolist() == [23, 23]
