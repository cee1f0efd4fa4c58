"""Windows and one matrix, against torch's own convolution."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from saccade.layers.convolution import GatedConvolution, ShortConvolution, windows


def test_windows_lie_side_by_side():
    states = torch.arange(1.0, 6.0).view(1, 5, 1)
    assert windows(states, 3)[0].tolist() == [[1, 2, 3], [2, 3, 4], [3, 4, 5]]


@pytest.mark.parametrize(("size", "before"), [(1, 0), (3, 1), (3, 2), (5, 2), (5, 4)])
def test_it_is_a_convolution_and_a_gate(generator, size, before):
    batch, length, inputs, width = 2, 7, 3, 5
    states = torch.randn(batch, length, inputs, generator=generator, dtype=torch.float64)
    product = nn.Linear(size * inputs, 2 * width).double()
    ours = GatedConvolution(product, size, before)(states)
    kernel = product.weight.view(2 * width, size, inputs).transpose(1, 2)
    padded = functional.pad(states.transpose(1, 2), (before, size - 1 - before))
    value, gate = functional.conv1d(padded, kernel, product.bias).transpose(1, 2).split(width, dim=-1)
    torch.testing.assert_close(ours, value * torch.sigmoid(gate))


@torch.no_grad()
def test_a_short_convolution_is_torchs_with_a_group_for_every_place(generator):
    layer = ShortConvolution(5, 3).double()
    states = torch.randn(2, 7, 5, generator=generator, dtype=torch.float64)
    ours, recent = layer(states, layer.initial_state(states))
    padded = functional.pad(states.transpose(1, 2), (2, 0))
    theirs = functional.conv1d(padded, layer.weight.T.unsqueeze(1), groups=5).transpose(1, 2)
    torch.testing.assert_close(ours, theirs)
    assert torch.equal(recent, states[:, -2:])


@torch.no_grad()
def test_a_short_convolution_goes_on_where_it_stopped(generator):
    layer = ShortConvolution(5, 4).double()
    states = torch.randn(2, 7, 5, generator=generator, dtype=torch.float64)
    whole, _ = layer(states, layer.initial_state(states))
    first, recent = layer(states[:, :2], layer.initial_state(states))
    then, _ = layer(states[:, 2:], recent)
    torch.testing.assert_close(torch.cat([first, then], dim=1), whole)
