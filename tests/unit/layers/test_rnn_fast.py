"""The layers one by one, without lengths on the CPU, against torch's stack and its packed sequences."""

import pytest
import torch

from saccade.layers.rnn import Carry, RNNStack
from saccade.layers.rnn_fast import layer_by_layer

INPUT, WIDTH, LAYERS = 3, 5, 3
LENGTHS = torch.tensor([7, 1, 4])


def made(kind: str, dropout: float = 0.0) -> RNNStack:
    torch.manual_seed(7)
    return RNNStack(kind, INPUT, WIDTH, LAYERS, dropout).double()


@pytest.fixture
def inputs() -> torch.Tensor:
    torch.manual_seed(11)
    return torch.randn(3, 7, INPUT, dtype=torch.float64, requires_grad=True)


def fast(stack: RNNStack, inputs: torch.Tensor, carry: Carry, lengths: torch.Tensor | None):
    states, hidden, cell = layer_by_layer(stack.program, inputs, carry.hidden, carry.cell, lengths)
    return states, Carry(hidden, cell)


def gradients(stack: RNNStack, inputs: torch.Tensor, found) -> list[torch.Tensor]:
    """Of all weights and inputs, from everything that comes out, weighed at random."""
    states, carry = found
    torch.manual_seed(13)
    total = sum((tensor * torch.randn(tensor.shape, dtype=tensor.dtype)).sum() for tensor in [states, *carry.tensors()])
    return list(torch.autograd.grad(total, [inputs, *stack.parameters()]))


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
def test_each_row_is_read_to_its_own_end(kind, inputs):
    stack = made(kind)
    expected = stack.read(inputs, LENGTHS)
    found = fast(stack, inputs, stack.initial_state(inputs), LENGTHS)
    for ours, theirs in zip([found[0], *found[1].tensors()], [expected[0], *expected[1].tensors()], strict=True):
        torch.testing.assert_close(ours, theirs)
    for ours, theirs in zip(gradients(stack, inputs, found), gradients(stack, inputs, expected), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("kind", ["tanh", "lstm", "gru"])
def test_what_was_carried_goes_on(kind, inputs):
    stack = made(kind)
    with torch.no_grad():
        _, carry = stack.read(inputs, LENGTHS)
    expected, found = stack(inputs, carry), fast(stack, inputs, carry, None)
    for ours, theirs in zip([found[0], *found[1].tensors()], [expected[0], *expected[1].tensors()], strict=True):
        torch.testing.assert_close(ours, theirs)
    for ours, theirs in zip(gradients(stack, inputs, found), gradients(stack, inputs, expected), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_dropout_is_between_layers_only_and_follows_the_seed(inputs):
    stack = made("lstm", dropout=0.5)
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append(fast(stack, inputs, stack.initial_state(inputs), LENGTHS)[1].hidden)
    first, again, other = draws
    assert torch.equal(first, again)
    assert torch.equal(first[:, 0], other[:, 0])
    assert not torch.equal(first[:, 1:], other[:, 1:])
