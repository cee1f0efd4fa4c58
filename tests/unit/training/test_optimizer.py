from typing import get_args, get_type_hints

import pytest
import torch
from torch import nn

from saccade.errors import FormatError
from saccade.training.config import OPTIMIZER_KEYS, TrainingConfig
from saccade.training.optimizer import (
    OPTIMIZERS,
    adam,
    begin_step,
    build_optimizer,
    optimizer_state,
    restore_optimizer_state,
)


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


def test_optimizer_state_unknown_parameters_are_refused():
    layer = nn.Linear(3, 2, bias=False)
    layer.weight.grad = torch.ones(2, 3)
    optimizer = adam(layer, TrainingConfig())
    optimizer.step()
    moments = optimizer_state(optimizer, layer) | {"exp_avg/stranger": torch.zeros(1)}
    with pytest.raises(FormatError, match="stranger"):
        restore_optimizer_state(optimizer, layer, moments)


GRADIENTS = ((0.5, -2.0), (1.5, 0.25), (-3.0, 1.0))
RATE, RHO, EPSILON, MOMENTUM = 0.1, 0.9, 1e-3, 0.7


def adadelta_by_hand(gradients):
    """Zeiler 2012, algorithm 1."""
    weight = squares = updates = 0.0
    for gradient in gradients:
        squares = RHO * squares + (1 - RHO) * gradient**2
        update = (updates + EPSILON) ** 0.5 / (squares + EPSILON) ** 0.5 * gradient
        updates = RHO * updates + (1 - RHO) * update**2
        weight -= RATE * update
    return weight


def adagrad_by_hand(gradients):
    """Duchi et al. 2011, with a diagonal matrix."""
    weight = squares = 0.0
    for gradient in gradients:
        squares += gradient**2
        weight -= RATE * gradient / (squares**0.5 + EPSILON)
    return weight


def sgd_by_hand(gradients):
    weight = velocity = 0.0
    for gradient in gradients:
        velocity = MOMENTUM * velocity + gradient
        weight -= RATE * velocity
    return weight


def nesterov_by_hand(gradients):
    """Sutskever et al. 2013, equations 3 and 4, in the weights at which the gradient is taken."""
    behind = velocity = 0.0
    weight = 0.0  # = behind + MOMENTUM * velocity
    for gradient in gradients:
        velocity = MOMENTUM * velocity - RATE * gradient
        behind += velocity
        weight = behind + MOMENTUM * velocity
    return weight


def used(optimizer, given):
    """Of these keys, those that the optimizer uses."""
    return {key: value for key, value in given.items() if optimizer in OPTIMIZER_KEYS[key]}


@pytest.mark.parametrize(
    ("name", "by_hand"),
    [
        ("adadelta", adadelta_by_hand),
        ("adagrad", adagrad_by_hand),
        ("sgd", sgd_by_hand),
        ("nesterov", nesterov_by_hand),
    ],
)
def test_three_updates_are_those_of_the_paper(name, by_hand):
    layer = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(layer.weight)
    given = {"rho": RHO, "ada_epsilon": EPSILON, "momentum": MOMENTUM}
    optimizer = build_optimizer(layer, TrainingConfig(optimizer=name, **used(name, given)))
    optimizer.param_groups[0]["lr"] = RATE
    for gradient in GRADIENTS:
        layer.weight.grad = torch.tensor([gradient])
        optimizer.step()
    assert layer.weight.flatten().tolist() == pytest.approx(
        [by_hand(column) for column in zip(*GRADIENTS, strict=True)]
    )


def test_every_optimizer_a_recipe_may_name_is_there():
    assert set(get_args(get_type_hints(TrainingConfig)["optimizer"])) == set(OPTIMIZERS)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_goes_on_from_what_another_remembered(name):
    config = TrainingConfig(optimizer=name, **used(name, {"momentum": 0.9}))

    def step(layer, optimizer, seed):
        optimizer.param_groups[0]["lr"] = 0.01
        begin_step(optimizer)
        for parameter in layer.parameters():
            parameter.grad = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed))
        optimizer.step()

    one, other = nn.Linear(5, 3), nn.Linear(5, 3)
    first, second = build_optimizer(one, config), build_optimizer(other, config)
    for seed in (1, 2, 3):
        step(one, first, seed)
    other.load_state_dict(one.state_dict())
    restore_optimizer_state(second, other, optimizer_state(first, one))
    step(one, first, 4)
    step(other, second, 4)
    assert torch.equal(one.weight, other.weight)
    assert torch.equal(one.bias, other.bias)
    assert optimizer_state(first, one).keys() == optimizer_state(second, other).keys()


def test_plain_descent_remembers_nothing():
    layer = nn.Linear(3, 2)
    for parameter in layer.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer = build_optimizer(layer, TrainingConfig(optimizer="sgd"))
    optimizer.step()
    assert optimizer_state(optimizer, layer) == {}
