import pytest
import torch

from saccade.errors import InputError
from saccade.evaluation.attention_correctness import attention_correctness

WEIGHTS = torch.tensor([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]], dtype=torch.float64)


def test_the_weight_on_the_right_words_by_hand():
    # The first target word is linked to two source words, the second to one; one link is given twice.
    found = attention_correctness([WEIGHTS], [[(0, 0), (2, 0), (2, 0), (1, 1)]])
    assert found.correctness == pytest.approx((0.5 + 0.3 + 0.8) / 2)
    assert found.even == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert found.words == 2


def test_words_without_a_link_do_not_count_and_words_of_all_sentences_count_alike():
    found = attention_correctness([WEIGHTS, WEIGHTS], [[(1, 1)], [(0, 0), (0, 1)]])
    assert found.correctness == pytest.approx((0.8 + 0.5 + 0.1) / 3)
    assert found.words == 3


@pytest.mark.parametrize(
    ("gold", "said"),
    [([], "same sentences"), ([[]], "at least one link"), ([[(3, 0)]], "line 1"), ([[(0, 2)]], "line 1")],
)
def test_what_cannot_be_is_refused(gold, said):
    with pytest.raises(InputError, match=said):
        attention_correctness([WEIGHTS], gold)
