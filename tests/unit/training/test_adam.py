import subprocess
import sys

import pytest
import torch
from torch import nn

from saccade.training.adam import Adam
from saccade.training.optimizer import optimizer_state, restore_optimizer_state

BETAS, EPSILON, DECAY = (0.9, 0.98), 1e-9, 0.3
RATES = (0.05, 0.1, 0.02, 0.1)


def gradients_of(layer, seed):
    """A gradient for every parameter; at first for the weight alone."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in layer.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)
    if seed == 0:
        layer.bias.grad = None


def taken(layer, optimizer, seeds):
    for seed in seeds:
        optimizer.param_groups[0]["lr"] = RATES[seed]
        gradients_of(layer, seed)
        optimizer.step()


def torchs(layer):
    return torch.optim.Adam(
        layer.parameters(), 0.0, BETAS, EPSILON, weight_decay=DECAY, decoupled_weight_decay=True, fused=True
    )


@pytest.fixture
def layers():
    one, other = nn.Linear(5, 3), nn.Linear(5, 3)
    other.load_state_dict(one.state_dict())
    return one, other


def test_four_steps_are_those_of_torchs_own_to_the_last_bit(layers):
    one, other = layers
    taken(one, Adam(one.parameters(), BETAS, EPSILON, DECAY), range(4))
    taken(other, torchs(other), range(4))
    assert torch.equal(one.weight, other.weight)
    assert torch.equal(one.bias, other.bias)


def test_the_state_of_torchs_own_is_read(layers):
    """Runs that began with torch's Adam go on with this one."""
    one, other = layers
    ours, theirs = Adam(one.parameters(), BETAS, EPSILON, DECAY), torchs(other)
    taken(other, theirs, (0, 1))
    one.load_state_dict(other.state_dict())
    restore_optimizer_state(ours, one, optimizer_state(theirs, other))
    taken(one, ours, (2, 3))
    taken(other, theirs, (2, 3))
    assert torch.equal(one.weight, other.weight)
    assert torch.equal(one.bias, other.bias)


def test_a_gradient_that_is_not_finite_changes_nothing_when_it_was_found(layers):
    layer, _ = layers
    optimizer = Adam(layer.parameters(), BETAS, EPSILON, DECAY)
    optimizer.found_inf = torch.zeros(())
    taken(layer, optimizer, (1,))
    state = {name: tensor.clone() for name, tensor in optimizer.state[layer.weight].items()}
    before = layer.weight.clone()
    optimizer.found_inf.fill_(1.0)
    gradients_of(layer, 2)
    layer.weight.grad.fill_(float("nan"))
    optimizer.step()
    assert torch.equal(layer.weight, before)
    for name, tensor in optimizer.state[layer.weight].items():
        assert torch.equal(tensor, state[name]), name


def test_neither_steps_nor_what_is_saved_of_them_import_torchs_compiler():
    """It takes as long to import as torch itself."""
    program = """
import sys
import torch
from saccade.training.config import TrainingConfig
from saccade.training.optimizer import begin_step, build_optimizer, optimizer_state, restore_optimizer_state

for name, settings in ("adam", {}), ("schedule_free", {}), ("muon", {"momentum": 0.9}):
    layer = torch.nn.Linear(5, 3)
    optimizer = build_optimizer(layer, TrainingConfig(optimizer=name, **settings))
    begin_step(optimizer)
    layer(torch.ones(2, 5)).sum().backward()
    optimizer.step()
    restore_optimizer_state(optimizer, layer, optimizer_state(optimizer, layer))
    assert "torch._dynamo" not in sys.modules, name
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
