"""Rows as lengths and directions: the same map, other gradients."""

import torch

from saccade.layers.weight_normalisation import NormalisedLinear


def made(generator: torch.Generator) -> tuple[NormalisedLinear, torch.Tensor]:
    weight = torch.randn(5, 7, generator=generator, dtype=torch.float64)
    return NormalisedLinear(weight.clone()), weight


def test_it_begins_as_the_matrix_it_is_given(generator):
    linear, weight = made(generator)
    inputs = torch.randn(2, 3, 7, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(linear(inputs), inputs @ weight.T)


def test_a_longer_direction_changes_nothing_and_a_longer_length_does(generator):
    linear, weight = made(generator)
    with torch.no_grad():
        linear.direction *= 3
    torch.testing.assert_close(linear.weight.detach(), weight)
    with torch.no_grad():
        linear.length *= 2
    torch.testing.assert_close(linear.weight.detach(), 2 * weight)


def test_gradients_of_directions_are_at_right_angles_to_them(generator):
    linear, _ = made(generator)
    linear(torch.randn(3, 7, generator=generator, dtype=torch.float64)).square().sum().backward()
    along = (linear.direction.grad * linear.direction).sum(1)
    torch.testing.assert_close(along, torch.zeros_like(along), atol=1e-12, rtol=0)


def test_learning_it_computes_what_it_computes_at_rest(generator):
    linear, _ = made(generator)
    inputs = torch.randn(3, 7, generator=generator, dtype=torch.float64)
    found = []
    for learns in (True, False):
        linear.train(learns)
        total = linear(inputs).square().sum()
        found.append((linear.weight, *torch.autograd.grad(total, list(linear.parameters()))))
    for learning, resting in zip(*found, strict=True):
        torch.testing.assert_close(learning, resting)


def test_frozen_it_does_not_hear_of_changes(generator):
    linear, weight = made(generator)
    linear.freeze()
    with torch.no_grad():
        linear.length *= 2
    torch.testing.assert_close(linear.weight, weight)
    assert "frozen_weight" not in linear.state_dict()
