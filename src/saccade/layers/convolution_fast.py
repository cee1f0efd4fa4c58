"""A gated convolution with its residual sum by the kernels of a GPU: `convolution.py` says what is computed."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.kernels.convolution_windows import convolution_windows
from saccade.kernels.gated_residual import gated_residual
from saccade.kernels.linear import linear
from saccade.kernels.normalised_linear import normalised_linear
from saccade.layers.convolution import GatedConvolution
from saccade.layers.weight_normalisation import NormalisedLinear


def residual_convolution(
    convolution: GatedConvolution,
    residual: nn.Module,
    states: Float[Tensor, "batch length inputs"],
    real: Bool[Tensor, "batch length"] | None,
    dropout: float,
    factor: float,
) -> Float[Tensor, "batch length width"]:
    """Gives f (v(W [window] + b) + x); the windows are those of what padding and dropout leave of x."""
    windows, again = convolution_windows(states, real, convolution.size, convolution.before, dropout)
    maps = convolution.product
    if isinstance(maps, NormalisedLinear) and maps.frozen_weight is None:
        product = normalised_linear(windows, maps.direction, maps.length, None)
    else:
        assert isinstance(maps.weight, Tensor)
        product = linear(windows, maps.weight, None)
    assert isinstance(maps.bias, Tensor)
    return gated_residual(product, maps.bias, residual(again), factor)
