"""TTT-Linear against its definition: a loss, its gradient by autograd, one step of descent for every token."""

import pytest
import torch

from saccade.layers.ttt_linear import EPSILON, TTTLinear
from saccade.models.state_language_model import StateLanguageModel, StateLanguageModelConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

WIDTH, HEADS, LENGTH = 6, 2, 11


def made(batch: int, inner: str) -> TTTLinear:
    torch.manual_seed(3)
    layer = TTTLinear(WIDTH, HEADS, batch, 1.5, inner).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return layer


def plain(layer: TTTLinear, inputs: torch.Tensor) -> torch.Tensor:
    """What the layer says of one sequence: heads one after the other, every W_t a matrix of its own."""
    each, outputs = WIDTH // HEADS, []
    query, key, value = layer.views.weight.detach().split(WIDTH)
    for head in range(HEADS):
        rows = slice(head * each, (head + 1) * each)
        scale, shift = (
            (p.detach()[head, 0] for p in (layer.scale, layer.shift)) if layer.inner == "normalised" else (0, 0)
        )

        def f(x, weights, scale=scale, shift=shift):
            product = x @ weights
            if layer.inner == "plain":
                return product
            centred = product - product.mean()
            return x + scale * centred / (centred.square().mean() + EPSILON).sqrt() + shift

        current = layer.initial.detach()[head]
        said = []
        for place, x in enumerate(inputs):
            if place % layer.batch == 0:
                begun = current
            k, v = key[rows] @ x, value[rows] @ x
            at = begun.clone().requires_grad_()
            (gradient,) = torch.autograd.grad((f(k, at) - v).square().sum(), at)
            rate = torch.sigmoid(layer.eagerness.weight[head] @ x + layer.eagerness.bias[head]).detach()
            current = current - 1.5 * rate / each * gradient
            said.append(f(query[rows] @ x, current))
        outputs.append(torch.stack(said))
    return torch.cat(outputs, dim=-1) @ layer.joined.weight.detach().T


@pytest.mark.parametrize("inner", ["normalised", "plain"])
@pytest.mark.parametrize("batch", [1, 4, 16])
def test_every_token_is_a_step_of_descent(batch, inner):
    layer = made(batch, inner)
    inputs = torch.randn(3, LENGTH, WIDTH, dtype=torch.float64)
    said = layer(inputs)
    for row in range(3):
        torch.testing.assert_close(said[row].detach(), plain(layer, inputs[row]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("inner", ["normalised", "plain"])
@torch.no_grad()
def test_token_by_token_it_learns_the_same(inner):
    layer = made(4, inner)
    inputs = torch.randn(1, LENGTH, WIDTH, dtype=torch.float64)
    expected, weights = plain_without_gradients(layer, inputs[0]), layer.initial_state(inputs)
    for place in range(LENGTH):
        said, weights = layer.step(inputs[:, place : place + 1], weights)
        torch.testing.assert_close(said[0, 0], expected[place], rtol=1e-9, atol=1e-9)


def plain_without_gradients(layer: TTTLinear, inputs: torch.Tensor) -> torch.Tensor:
    with torch.enable_grad():
        return plain(layer, inputs)


@torch.no_grad()
def test_a_pair_that_was_read_is_reconstructed_the_better_the_more_often_it_was_read():
    layer = made(1, "plain")
    token = torch.randn(1, 1, WIDTH, dtype=torch.float64) * 0.5
    _, keys, values, _ = layer._views(token)
    weights, errors = layer.initial_state(token), []
    for _ in range(6):
        errors.append((keys @ weights.begun - values).norm().item())
        _, weights = layer.step(token, weights)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0] / 2


@torch.no_grad()
def test_table_1_only_a_list_grows():
    for state, grows in (("weights", False), ("vector", False), ("list", True)):
        torch.manual_seed(1)
        config = StateLanguageModelConfig(state=state, layers=1, width=6, heads=2)
        model = StateLanguageModel(config, 13, 13).eval()
        held = model.start(model.encode(Sequences.of([[EOS]])))
        sizes = []
        for _ in range(5):
            _, held = model.step(torch.tensor([7]), held)
            sizes.append(sum(tensor.numel() for tensor in held.tensors()))
        steps = {after - before for before, after in zip(sizes, sizes[1:], strict=False)}
        assert steps == ({2 * 6} if grows else {0})
