import pytest
import torch

from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.tracing.word_order import another_order, shuffled

SOURCE = [57, 91, 300, 14, 200, 33, EOS]


@torch.no_grad()
def test_without_positions_order_is_lost_and_with_them_it_is_not(bundle):
    model = bundle("transformer").model
    found = shuffled(model, SOURCE)
    assert found["without_positions"] < 1e-5
    moved = [SOURCE[place] for place in found["order"]]
    before, after = (model.encode(Sequences.of([each])).states[0] for each in (SOURCE, moved))
    assert found["with_positions"] == pytest.approx(float((before[found["order"]] - after).abs().max()))
    assert found["with_positions"] > 0.01


def test_without_positions_a_classifier_makes_the_same_vector_of_words_in_any_order(bundle):
    found = shuffled(bundle("transformer-classifier").model, SOURCE)
    assert found["without_positions"] < 1e-5
    assert found["with_positions"] > 0.01


def test_convolutions_feel_the_order_even_without_positions(bundle):
    assert shuffled(bundle("convs2s").model, SOURCE)["without_positions"] > 1e-3


def test_a_model_that_adds_no_positions_has_nothing_to_leave_out(bundle):
    assert shuffled(bundle("rnnsearch").model, SOURCE) is None


@pytest.mark.parametrize("length", [3, 4, 11])
def test_the_last_token_stays_and_the_others_do_not_all(length):
    order = another_order(length)
    assert sorted(order) == list(range(length)) != order
    assert order[-1] == length - 1
