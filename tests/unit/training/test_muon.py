import copy

import pytest
import torch
from torch import nn

from saccade.layers.embedding import Embedding
from saccade.training.config import TrainingConfig
from saccade.training.muon import Muon, orthogonal
from saccade.training.optimizer import build_optimizer


@pytest.mark.parametrize("shape", [(3, 16, 16), (2, 8, 40), (1, 40, 8)])
def test_singular_values_become_about_one_and_directions_stay(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    inside = left.transpose(1, 2) @ orthogonal(matrices) @ right.transpose(1, 2)
    values = inside.diagonal(dim1=1, dim2=2)
    assert values.min() > 0.3
    assert values.max() < 1.3
    assert (inside - torch.diag_embed(values)).abs().max() < 1e-4


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_matrices_are_learned_as_by_torchs_own(decay):
    """Which computes in bfloat16, so the two are near only."""
    layer = nn.Linear(24, 16, bias=False)
    other = copy.deepcopy(layer)
    ours = Muon([layer.weight], [layer.weight], 0.9, (0.9, 0.98), 1e-9, decay)
    ours.param_groups[0]["lr"] = 0.01
    torchs = torch.optim.Muon(
        other.parameters(), lr=0.01, momentum=0.9, weight_decay=decay, adjust_lr_fn="match_rms_adamw"
    )
    generator = torch.Generator().manual_seed(2)
    before = layer.weight.detach().clone()
    for _ in range(4):
        gradient = torch.randn(layer.weight.shape, generator=generator)
        layer.weight.grad, other.weight.grad = gradient.clone(), gradient.clone()
        ours.step()
        torchs.step()
    moved = (other.weight - before).norm()
    assert (layer.weight - other.weight).norm() < 0.02 * moved


def test_only_matrices_within_layers_are_made_orthogonal():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = Embedding(11, 8)
            self.inner = nn.Linear(8, 8)
            self.output = nn.Linear(8, 11)

    model = Model()
    optimizer = build_optimizer(model, TrainingConfig(optimizer="muon", momentum=0.9))
    assert [id(matrix) for matrix in optimizer.matrices] == [id(model.inner.weight)]
    assert len(optimizer.others) == 4


def test_a_gradient_that_is_not_finite_changes_nothing_when_it_was_found():
    layer = nn.Linear(6, 4)
    optimizer = Muon(list(layer.parameters()), [layer.weight], 0.9, (0.9, 0.98), 1e-9, 0.1)
    optimizer.param_groups[0]["lr"] = torch.tensor(0.01)
    optimizer.found_inf = torch.zeros(())

    def step(value):
        for parameter in layer.parameters():
            parameter.grad = torch.full_like(parameter, value)
        optimizer.step()

    step(1.0)
    weights = [parameter.detach().clone() for parameter in layer.parameters()]
    kept = [tensor.clone() for parameter in layer.parameters() for tensor in optimizer.state[parameter].values()]
    optimizer.found_inf.fill_(1.0)
    step(float("inf"))
    assert all(torch.equal(one, other) for one, other in zip(weights, layer.parameters(), strict=True))
    after = [tensor for parameter in layer.parameters() for tensor in optimizer.state[parameter].values()]
    assert all(torch.equal(one, other) for one, other in zip(kept, after, strict=True))
