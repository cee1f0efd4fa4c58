"""The kernels of a gated convolution with its residual sum, against the readable layers."""

import pytest
import torch
from torch import nn

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.layers.convolution_fast import residual_convolution
from saccade.layers.convs2s_stacks import ConvEncoderLayer
from saccade.layers.variance import VARIANCE_SCALINGS, LinearFactory


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("inputs", [6, 9], ids=["as wide", "wider below"])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_layer_gives_what_the_readable_one_gives(device, normalised, inputs, frozen):
    torch.manual_seed(1)
    maps = LinearFactory(0.0, normalised)
    layer = ConvEncoderLayer(maps, VARIANCE_SCALINGS["paper"], inputs, (6, 3)).to(device)
    if frozen and normalised:
        layer.convolution.product.freeze()
    elif frozen:
        layer.requires_grad_(False)
    states = torch.randn(3, 7, inputs, device=device)
    real = torch.arange(7, device=device) < torch.tensor([[7], [4], [1]], device=device)

    def readable(given):
        gated = layer.convolution(given.masked_fill(~real.unsqueeze(-1), 0.0))
        return (gated + layer.residual(given)) * layer.factor

    def fast(given):
        return residual_convolution(layer.convolution, layer.residual, given, real, 0.0, layer.factor)

    found = []
    for compute in (readable, fast):
        layer.zero_grad()
        leaf = states.clone().requires_grad_()
        result = compute(leaf)
        (result * torch.arange(result.numel(), device=device).view(result.shape).cos()).sum().backward()
        gradients = [parameter.grad for parameter in layer.parameters() if parameter.grad is not None]
        found.append([result.detach(), leaf.grad, *(gradient.clone() for gradient in gradients)])
    assert len(found[0]) == len(found[1])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_a_residual_map_sees_the_states_before_dropout(device):
    torch.manual_seed(1)
    layer = ConvEncoderLayer(LinearFactory(0.9, weight_normalisation=False), VARIANCE_SCALINGS["paper"], 4, (4, 3))
    layer = layer.to(device)
    nn.init.zeros_(layer.convolution.product.weight)
    nn.init.zeros_(layer.convolution.product.bias)
    states = torch.randn(2, 5, 4, device=device)
    found = residual_convolution(layer.convolution, layer.residual, states, None, 0.9, 0.5)
    torch.testing.assert_close(found, states * 0.5)
