import pytest
import torch

from saccade.decoding.scoring import score_pairs
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import BOS, EOS

PAIRS = Pairs(Sequences.of([[4, 5, 6, EOS], [7, EOS]]), Sequences.of([[8, EOS], [9, 10, 4, EOS]]))


def test_scores_are_the_log_probabilities_of_the_steps(tiny):
    model = tiny(1)
    state, read = model.start(model.encode(PAIRS.source)), torch.tensor([BOS, BOS])
    scores = score_pairs(model, PAIRS)
    for position, token in enumerate(PAIRS.target.tokens.unbind(1)):
        logits, state = model.step(read, state)
        expected = logits.log_softmax(1).gather(1, token.unsqueeze(1)).squeeze(1)
        real = PAIRS.target.mask[:, position]
        torch.testing.assert_close(scores[real, position], expected[real])
        read = token


def test_padding_counts_nothing(tiny):
    scores = score_pairs(tiny(1), PAIRS)
    assert (scores[~PAIRS.target.mask] == 0).all()
    assert (scores[PAIRS.target.mask] < 0).all()


def test_the_score_of_a_pair_depends_on_no_other(tiny):
    model = tiny(2)
    together = score_pairs(model, PAIRS).sum(1)
    alone = [score_pairs(model, PAIRS.select(torch.tensor([row]))).sum().item() for row in range(2)]
    assert together.tolist() == pytest.approx(alone, abs=1e-9)


def test_a_model_in_half_precision_is_normalised_in_single_precision(tiny):
    assert score_pairs(tiny(3).bfloat16(), PAIRS).dtype == torch.float32
