"""Dropped and permuted weights, by hand; and a model that looks where it says, beside one that does not."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import ConfigError, InputError
from saccade.evaluation.faithfulness import faithfulness, permuted, without
from saccade.models.luong import Luong, LuongConfig
from saccade.models.seq2seq import Sutskever, SutskeverConfig
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS

PAIRS = Pairs(
    Sequences.of([[5, 9, 4, 7, 8, 6, EOS], [4, 10, EOS], [4, EOS]]),
    Sequences.of([[6, 5, EOS], [9, 8, 7, 4, EOS], [5, EOS]]),
)


def test_what_is_dropped_is_shared_out_in_proportion():
    weights = torch.tensor([[[0.4, 0.1, 0.3, 0.2]]])
    torch.testing.assert_close(without(weights, weights, 1), torch.tensor([[[0.0, 1 / 6, 1 / 2, 1 / 3]]]))
    torch.testing.assert_close(without(weights, weights, 2), torch.tensor([[[0.0, 1 / 3, 0.0, 2 / 3]]]))
    order = torch.tensor([[[0.0, 3.0, 2.0, 1.0]]])
    torch.testing.assert_close(without(0.5 * weights, order, 2), torch.tensor([[[1 / 3, 0.0, 0.0, 1 / 6]]]))


def test_where_nothing_is_left_nothing_is_taken():
    one = torch.tensor([[[0.0, 1.0, 0.0]]])
    assert without(one, one, 1).tolist() == [[[0.0, 0.0, 0.0]]]


@given(count=st.integers(1, 7), padding=st.integers(0, 3), seed=st.integers(0, 99))
def test_permuted_weights_are_the_same_weights_on_real_positions(count, padding, seed):
    generator = torch.Generator().manual_seed(seed)
    weights = torch.cat([torch.rand(2, 3, count, generator=generator), torch.zeros(2, 3, padding)], dim=-1)
    order = torch.cat([torch.rand(2, 3, count, generator=generator), -torch.ones(2, 3, padding)], dim=-1)
    found = permuted(weights, order)
    assert (found[..., count:] == 0).all()
    assert torch.equal(found.sort(-1).values, weights.sort(-1).values)


def looking_model(sharpness: float) -> Luong:
    """Its output depends on the context alone: the decoder state that W_c also reads counts for nothing."""
    torch.manual_seed(3)
    config = LuongConfig(width=8, layers=1, alignment="soft", score="general", input_feeding=False, initial_range=0.9)
    model = Luong(config, 11, 13).double().eval()
    with torch.no_grad():
        model.combine.weight[:, 8:] = 0
        model.combine.weight[:, :8] *= 4
        model.attention.score.query.weight *= sharpness
    return model


def test_a_model_that_depends_on_a_few_positions_changes_most_without_them():
    found = faithfulness(looking_model(100.0), [PAIRS], 1, torch.Generator().manual_seed(1))
    assert found.most.change > 1.5 * found.random.change > 0
    assert found.permuted.change > found.random.change


def test_a_model_that_ignores_what_it_attends_to_does_not_change_at_all():
    model = looking_model(100.0)
    with torch.no_grad():
        model.combine.weight[:, :8] = 0
    found = faithfulness(model, [PAIRS], 1, torch.Generator().manual_seed(1))
    assert found.most == found.random == found.permuted
    assert (found.most.change, found.most.loss) == (0, 0)


def test_sources_that_would_lose_everything_are_left_out():
    found = faithfulness(looking_model(1.0), [PAIRS], 2, torch.Generator().manual_seed(1))
    assert (found.sentences, found.tokens) == (2, 3 + 5)
    with pytest.raises(InputError, match="more than 7 positions"):
        faithfulness(looking_model(1.0), [PAIRS], 7, torch.Generator().manual_seed(1))


def test_a_model_that_does_not_attend_is_refused():
    model = Sutskever(SutskeverConfig(width=5, layers=1), 11, 13).eval()
    with pytest.raises(ConfigError, match="does not attend"):
        faithfulness(model, [PAIRS], 1, torch.Generator())
