"""The equation of "A Neural Probabilistic Language Model", position by position, and its count of parameters."""

import pytest
import torch

from saccade.models.neural_probabilistic import NeuralProbabilistic, NeuralProbabilisticConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

VOCABULARY, HIDDEN, WORDS = 29, 7, 3
SOURCE = Sequences.of([[EOS], [EOS]])
TARGET = Sequences.of([[5, 9, 4, 28, 6, 7, EOS], [11, 5, EOS]])


def built(**changes) -> NeuralProbabilistic:
    torch.manual_seed(3)
    sizes = {"width": HIDDEN, "embedding_width": WORDS} | changes
    return NeuralProbabilistic(NeuralProbabilisticConfig(**sizes), VOCABULARY, VOCABULARY).double().eval()


@pytest.mark.parametrize("order", [2, 3, 5, 9])
@pytest.mark.parametrize("direct", [False, True])
@torch.no_grad()
def test_scores_are_b_plus_w_x_plus_u_tanh_of_d_plus_h_x(order, direct):
    model = built(order=order, direct_links=direct)
    weights = model.state_dict()
    u, w = weights["output.weight"][:, :HIDDEN], weights["output.weight"][:, HIDDEN:]
    assert w.shape == (VOCABULARY, (order - 1) * WORDS if direct else 0)
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, length in enumerate(TARGET.lengths.tolist()):
        history = [BOS] * (order - 1)
        for position in range(length):
            history.append(int(TARGET.reads.tokens[row, position]))
            x = torch.cat([weights["embedding.weight"][history[-back]] for back in range(1, order)])
            hidden = torch.tanh(weights["hidden.bias"] + weights["hidden.weight"] @ x)
            expected = weights["output.bias"] + u @ hidden + (w @ x if direct else 0)
            torch.testing.assert_close(logits[row, position], expected)


@pytest.mark.parametrize(("n", "m", "h", "vocabulary"), [(5, 30, 100, 16_383), (3, 60, 50, 17_964)])
def test_the_papers_count_of_parameters_with_direct_links(n, m, h, vocabulary):
    config = NeuralProbabilisticConfig(order=n, embedding_width=m, width=h, direct_links=True)
    with torch.device("meta"):
        model = NeuralProbabilistic(config, vocabulary, vocabulary)
    total = sum(parameter.numel() for parameter in model.parameters())
    assert total == vocabulary * (1 + n * m + h) + h * (1 + (n - 1) * m)


@torch.no_grad()
def test_a_word_outside_the_window_changes_nothing_and_one_inside_does():
    model = built(order=4)

    def last(tokens):
        return model.decode(Sequences.of([tokens]), model.encode(Sequences.of([[EOS]])))[0, -1]

    before = last([BOS, 5, 6, 7, 8])
    assert torch.equal(last([BOS, 9, 6, 7, 8]), before)
    assert not torch.allclose(last([BOS, 5, 9, 7, 8]), before)
