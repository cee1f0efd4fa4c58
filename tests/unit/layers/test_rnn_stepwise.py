"""A stack taken apart gives what the fused one gives, numbers and gradients."""

import pytest
import torch

from saccade.layers.rnn import Carry, RNNStack
from saccade.layers.rnn_stepwise import StepwiseLSTM

BATCH, LENGTH, KNOWN, FED, WIDTH = 3, 5, 7, 2, 11


@pytest.fixture(params=[1, 2, 3], ids="{} layers".format)
def stack(request, generator):
    stack = RNNStack("lstm", KNOWN + FED, WIDTH, request.param).double()
    with torch.no_grad():
        for parameter in stack.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return stack


def apart(stack, known, fed, carry):
    unrolled = StepwiseLSTM(stack, known=KNOWN)
    units, tops = unrolled.units(carry), []
    for position, totals in enumerate(unrolled.known_totals(known)):
        units = unrolled.advance(totals, fed[:, position], units)
        tops.append(units[-1][0])
    return torch.stack(tops, dim=1)


def test_states_and_gradients_are_those_of_the_fused_stack(stack, generator):
    def drawn(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)

    known, fed = drawn(BATCH, LENGTH, KNOWN), drawn(BATCH, LENGTH, FED)
    carry = Carry(drawn(BATCH, stack.layers, WIDTH), drawn(BATCH, stack.layers, WIDTH))
    share = torch.randn(BATCH, LENGTH, WIDTH, generator=generator, dtype=torch.float64)
    fused, _ = stack(torch.cat([known, fed], dim=-1), carry)
    ours = apart(stack, known, fed, carry)
    torch.testing.assert_close(ours, fused)
    wanted = [known, fed, carry.hidden, carry.cell, *stack.parameters()]
    for one, other in zip(
        torch.autograd.grad((fused * share).sum(), wanted),
        torch.autograd.grad((ours * share).sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_dropout_between_layers_is_for_training_alone(generator):
    stack = RNNStack("lstm", KNOWN + FED, WIDTH, 2, dropout=0.5).double()
    known = torch.randn(BATCH, LENGTH, KNOWN, generator=generator, dtype=torch.float64)
    fed = torch.randn(BATCH, LENGTH, FED, generator=generator, dtype=torch.float64)
    carry = stack.initial_state(known)
    torch.manual_seed(2)
    assert not torch.allclose(apart(stack, known, fed, carry), apart(stack, known, fed, carry))
    stack.eval()
    assert torch.equal(apart(stack, known, fed, carry), apart(stack, known, fed, carry))
