"""Residual connections: what they compute, and that gradients reach the bottom of a deep stack."""

import pytest
import torch
from torch import nn

from saccade.layers.feedforward import FeedForward
from saccade.layers.residual import RESIDUAL_CONNECTIONS, ResidualName, ResidualStream

LAYERS, WIDTH = 50, 31


class Stack(nn.Module):
    """Feed-forward sub-layers, one wired upon the other, with the weights torch begins with."""

    def __init__(self, wiring: ResidualName, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.sublayers = nn.ModuleList(FeedForward(WIDTH, 67) for _ in range(LAYERS))
        self.around = nn.ModuleList(RESIDUAL_CONNECTIONS[wiring](WIDTH, 0.0) for _ in range(LAYERS))
        self.end = RESIDUAL_CONNECTIONS[wiring].end(WIDTH)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        stream = ResidualStream.of(states)
        for around, sublayer in zip(self.around, self.sublayers, strict=True):
            stream = around(stream, sublayer)
        return self.end(stream.states)


def fall(wiring: ResidualName, seed: int) -> float:
    """How many times smaller the gradient of the first layer's weights is than that of the last layer's."""
    stack = Stack(wiring, seed).double()
    states = torch.randn(7, 3, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    goal = torch.randn(7, 3, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + 100))
    (stack(states) - goal).square().mean().backward()
    first, last = (stack.sublayers[place].inner.weight.grad.norm().item() for place in (0, -1))
    return last / first


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_residual_connections_the_gradient_of_the_first_of_fifty_layers_vanishes(seed):
    assert fall("plain", seed) >= 1000


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("wiring", ["residual", "pre", "post"])
def test_with_residual_connections_it_stays_within_ten_times(wiring, seed):
    assert 1 / 10 <= fall(wiring, seed) <= 10


@torch.no_grad()
def test_equation_1_the_sum_of_input_and_sublayer(generator):
    states = torch.randn(2, 3, 5, generator=generator)
    stream = ResidualStream.of(states)
    assert torch.equal(RESIDUAL_CONNECTIONS["residual"](5, 0.0)(stream, lambda x: 2 * x).states, 3 * states)
    assert torch.equal(RESIDUAL_CONNECTIONS["plain"](5, 0.0)(stream, lambda x: 2 * x).states, 2 * states)


@torch.no_grad()
def test_dropout_falls_on_the_sublayer_and_not_on_what_passes_by():
    torch.manual_seed(7)
    states = torch.ones(2, 3, 511)
    added = RESIDUAL_CONNECTIONS["residual"](511, 0.5).train()(ResidualStream.of(states), lambda x: x).states - states
    assert set(added.flatten().tolist()) == {0.0, 2.0}
    alone = RESIDUAL_CONNECTIONS["plain"](511, 0.5).train()(ResidualStream.of(states), lambda x: x).states
    assert set(alone.flatten().tolist()) == {0.0, 2.0}
