"""The recurrent language model against its equations, position by position."""

import math

import pytest
import torch

from saccade.models.rnn_language_model import RNNLanguageModel, RNNLanguageModelConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

VOCABULARY = 29
SOURCE = Sequences.of([[EOS], [EOS]])
TARGET = Sequences.of([[5, 9, 4, 28, 6, 7, EOS], [11, 5, EOS]])


def built(**changes) -> tuple[RNNLanguageModel, dict[str, torch.Tensor]]:
    torch.manual_seed(3)
    model = RNNLanguageModel(RNNLanguageModelConfig(**changes), VOCABULARY, VOCABULARY).double().eval()
    return model, model.state_dict()


def tanh_step(x, h, c, weights, layer):
    w, u = (weights[f"recurrent.program.weight_{kind}_l{layer}"] for kind in ("ih", "hh"))
    b, b_too = (weights[f"recurrent.program.bias_{kind}_l{layer}"] for kind in ("ih", "hh"))
    return torch.tanh(w @ x + b + u @ h + b_too), c


def lstm_step(x, h, c, weights, layer):
    w, u = (weights[f"recurrent.program.weight_{kind}_l{layer}"] for kind in ("ih", "hh"))
    b, b_too = (weights[f"recurrent.program.bias_{kind}_l{layer}"] for kind in ("ih", "hh"))
    i, f, g, o = (w @ x + b + u @ h + b_too).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x, h, c, weights, layer):
    """Torch's: the reset gate comes after the product."""
    w, u = (weights[f"recurrent.program.weight_{kind}_l{layer}"].chunk(3) for kind in ("ih", "hh"))
    b, b_too = (weights[f"recurrent.program.bias_{kind}_l{layer}"].chunk(3) for kind in ("ih", "hh"))
    r, z = ((w[k] @ x + b[k] + u[k] @ h + b_too[k]).sigmoid() for k in range(2))
    candidate = torch.tanh(w[2] @ x + b[2] + r * (u[2] @ h + b_too[2]))
    return z * h + (1 - z) * candidate, c


@pytest.mark.parametrize(("cell", "cell_step"), [("tanh", tanh_step), ("lstm", lstm_step), ("gru", gru_step)])
@torch.no_grad()
def test_every_position_follows_the_equations(cell, cell_step):
    layers, width = 2, 7
    model, weights = built(cell=cell, width=width, embedding_width=5, layers=layers)
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, length in enumerate(TARGET.lengths.tolist()):
        h = [torch.zeros(width).double() for _ in range(layers)]
        c = [torch.zeros(width).double() for _ in range(layers)]
        for position in range(length):
            x = weights["embedding.weight"][TARGET.reads.tokens[row, position]]
            for layer in range(layers):
                h[layer], c[layer] = cell_step(x, h[layer], c[layer], weights, layer)
                x = h[layer]
            torch.testing.assert_close(logits[row, position], weights["output.weight"] @ x)


@torch.no_grad()
def test_a_layer_of_mikolovs_logistic_units_is_a_layer_of_tanh_units_with_other_weights(generator):
    """s = sigma(U x + W s') is (1 + t) / 2 for t = tanh((U x + W (1 + t') / 2) / 2); s = 0 at first is t = -1."""
    width, words, length = 5, 7, 11
    u = torch.randn(width, words, generator=generator).double()
    w = torch.randn(width, width, generator=generator).double()
    v = torch.randn(VOCABULARY, width, generator=generator).double()
    inputs = torch.randn(length, words, generator=generator).double()
    model, _ = built(width=width, embedding_width=words)
    program = model.recurrent.program
    program.weight_ih_l0.copy_(u / 2)
    program.weight_hh_l0.copy_(w / 4)
    program.bias_ih_l0.copy_(w.sum(1) / 4)
    program.bias_hh_l0.zero_()
    states, _ = program(inputs.unsqueeze(0), torch.full((1, 1, width), -1.0).double())
    s = torch.zeros(width).double()
    for position in range(length):
        s = (u @ inputs[position] + w @ s).sigmoid()
        torch.testing.assert_close(v @ s, v @ (states[0, position] + 1) / 2)


def test_a_model_that_knows_nothing_yet_is_as_uncertain_as_can_be():
    model, _ = built()
    entropy = torch.distributions.Categorical(logits=model.decode(TARGET.reads, model.encode(SOURCE))).entropy()
    assert entropy.mean().item() == pytest.approx(math.log(VOCABULARY), rel=0.01)


def test_a_tied_model_has_one_matrix_less():
    def size(**changes):
        return sum(parameter.numel() for parameter in built(width=7, **changes)[0].parameters())

    assert size() - size(tie="target") == VOCABULARY * 7
