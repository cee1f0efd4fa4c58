import pytest
import torch
from torch import nn

from saccade.errors import FormatError
from saccade.training.config import TrainingConfig
from saccade.training.optimizer import adam, moments_of, restore_moments


def test_the_first_update_is_the_learning_rate_against_the_sign_of_the_gradient():
    """Bias correction makes both moments of the first step the gradient's own: Kingma and Ba, algorithm 1."""
    layer = nn.Linear(3, 2, bias=False)
    before = layer.weight.detach().clone()
    layer.weight.grad = torch.tensor([[0.5, -2.0, 7.0], [-0.1, 3.0, -11.0]])
    optimizer = adam(layer, TrainingConfig())
    optimizer.param_groups[0]["lr"] = 0.01
    optimizer.step()
    torch.testing.assert_close(layer.weight.detach(), before - 0.01 * layer.weight.grad.sign())


def test_the_papers_betas_and_epsilon_are_used():
    group = adam(nn.Linear(3, 2), TrainingConfig()).param_groups[0]
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0.0)


def test_weight_decay_does_not_pass_through_the_moments():
    layer = nn.Linear(3, 2, bias=False)
    before = layer.weight.detach().clone()
    layer.weight.grad = torch.zeros(2, 3)
    optimizer = adam(layer, TrainingConfig(weight_decay=0.5))
    optimizer.param_groups[0]["lr"] = 0.1
    optimizer.step()
    torch.testing.assert_close(layer.weight.detach(), before * 0.95)


def test_moments_of_unknown_parameters_are_refused():
    layer = nn.Linear(3, 2, bias=False)
    layer.weight.grad = torch.ones(2, 3)
    optimizer = adam(layer, TrainingConfig())
    optimizer.step()
    moments = moments_of(optimizer, layer) | {"exp_avg/stranger": torch.zeros(1)}
    with pytest.raises(FormatError, match="stranger"):
        restore_moments(optimizer, layer, moments)
