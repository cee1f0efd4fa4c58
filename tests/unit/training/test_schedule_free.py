import pytest
import torch
from torch import nn

from saccade.training.schedule_free import ScheduleFree

RATES = (0.05, 0.1, 0.1, 0.02)
GRADIENTS = (0.5, -2.0, 1.5, 3.0)
BETA, BETA2, EPSILON, START = 0.9, 0.98, 1e-9, 0.7


def by_hand(decay):
    """Algorithm 1 of the paper for one weight; each gradient is that of g * weight^2 / 2."""
    x = z = START
    squares = rates = 0.0
    places = []
    for number, (rate, gradient) in enumerate(zip(RATES, GRADIENTS, strict=True), start=1):
        y = (1 - BETA) * z + BETA * x
        places.append(y)
        slope = gradient * y
        squares = BETA2 * squares + (1 - BETA2) * slope**2
        z -= rate * decay * z
        z -= rate * slope / ((squares / (1 - BETA2**number)) ** 0.5 + EPSILON)
        rates += rate**2
        x += rate**2 / rates * (z - x)
    return x, places


def optimizer_of(layer, decay=0.0):
    return ScheduleFree(layer.parameters(), BETA, BETA2, EPSILON, decay)


def one_weight():
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, START)
    return layer


def take(layer, optimizer, rate, gradient):
    optimizer.param_groups[0]["lr"] = rate
    optimizer.begin_step()
    place = layer.weight.item()
    layer.weight.grad = gradient * layer.weight.detach()
    optimizer.step()
    return place


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_four_updates_are_those_of_the_paper(decay):
    layer = one_weight()
    optimizer = optimizer_of(layer, decay)
    places = [take(layer, optimizer, *given) for given in zip(RATES, GRADIENTS, strict=True)]
    expected, at = by_hand(decay)
    assert layer.weight.item() == pytest.approx(expected, rel=1e-5)
    assert places == pytest.approx(at, rel=1e-5)


def test_a_step_that_is_abandoned_leaves_everything_as_it_was():
    layer = one_weight()
    optimizer = optimizer_of(layer)
    for gradient in (1.0, 3.0):
        take(layer, optimizer, 0.1, gradient)
    before = layer.weight.clone()
    optimizer.begin_step()
    assert not torch.equal(layer.weight, before)
    optimizer.abandon_step()
    optimizer.abandon_step()  # nothing has begun
    assert torch.equal(layer.weight, before)
    take(layer, optimizer, 0.1, 2.0)
    other = one_weight()
    straight = optimizer_of(other)
    for gradient in (1.0, 3.0, 2.0):
        take(other, straight, 0.1, gradient)
    assert torch.equal(layer.weight, other.weight)


def test_a_gradient_that_is_not_finite_changes_nothing_when_it_was_found():
    """As the steps of a GPU find it: on the device, by a number that the host has not seen."""
    layer = one_weight()
    optimizer = optimizer_of(layer)
    optimizer.found_inf = torch.zeros(())
    take(layer, optimizer, 0.1, 1.0)
    state = {name: tensor.clone() for name, tensor in optimizer.state[layer.weight].items()}
    before = layer.weight.clone()
    optimizer.found_inf.fill_(1.0)
    take(layer, optimizer, torch.tensor(0.1), float("nan"))
    assert torch.equal(layer.weight, before)
    for name, tensor in optimizer.state[layer.weight].items():
        assert torch.equal(tensor, state[name]), name
