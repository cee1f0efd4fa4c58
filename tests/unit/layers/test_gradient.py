"""Gradients that are changed on their way back."""

import torch

from saccade.layers.gradient import scaled_gradient


def test_forward_nothing_changes_and_backward_the_factor_does():
    states = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    scaled = scaled_gradient(states, 0.25)
    assert torch.equal(scaled, states)
    scaled.square().sum().backward()
    assert states.grad.tolist() == [0.5, -1.0, 1.5]
