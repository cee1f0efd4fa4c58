"""x W^T + b where each row of W is a length times a direction, g v / |v|: weight normalisation within the product.

Torch computes W in float32, casts it and its bias, and casts both gradients back. Here W is written in the type of the
product, and the gradient of W leaves its product in float32, where length and direction take their parts of it.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.kernels.linear import backward_sums, product_dtype, weight_gradient
from saccade.kernels.parameter_copies import cast_to


def reference(
    states: Float[Tensor, "*rows width"],
    direction: Float[Tensor, "inner width"],
    length: Float[Tensor, " inner"],
    bias: Float[Tensor, " inner"] | None,
) -> Float[Tensor, "*rows inner"]:
    """The equation."""
    weight = direction * (length / direction.norm(dim=1)).unsqueeze(1)
    return functional.linear(states, weight, bias)


def normalised_linear(
    states: Float[Tensor, "*rows width"],
    direction: Float[Tensor, "inner width"],
    length: Float[Tensor, " inner"],
    bias: Float[Tensor, " inner"] | None,
) -> Float[Tensor, "*rows inner"]:
    """The same by the library's products and the kernels below."""
    result: Tensor = _NormalisedLinear.apply(states, direction, length, bias)
    return result


class _NormalisedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, direction, length, bias):
        precision = product_dtype(states)
        rows = states.reshape(-1, states.shape[-1]).to(precision)
        weight, inverse = _normalised(direction, length, precision)
        with torch.autocast(states.device.type, enabled=False):
            result = rows @ weight.T if bias is None else torch.addmm(cast_to(bias, precision), rows, weight.T)
        ctx.save_for_backward(rows, weight, direction, length, inverse)
        ctx.biased, ctx.dtype = bias is not None, states.dtype
        return result.view(*states.shape[:-1], -1)

    @staticmethod
    def backward(ctx, gradient):
        rows, weight, direction, length, inverse = ctx.saved_tensors
        slopes = gradient.reshape(len(rows), -1)
        to_bias = None
        if ctx.biased:
            slopes, to_bias = backward_sums(slopes, None)
        to_states = (slopes @ weight).view(*gradient.shape[:-1], -1).to(ctx.dtype)
        to_weight = weight_gradient(slopes, rows, direction.dtype)
        to_direction, to_length = torch.empty_like(direction), torch.empty_like(length)
        _normalise_backward[(len(direction),)](
            to_weight, direction, length, inverse, to_direction, to_length, direction.shape[1],
            BLOCK=_block(direction), num_warps=_WARPS,
        )  # fmt: skip
        return to_states, to_direction, to_length, None if to_bias is None else to_bias.to(direction.dtype)


def _normalised(
    direction: Float[Tensor, "inner width"], length: Float[Tensor, " inner"], precision: torch.dtype
) -> tuple[Float[Tensor, "inner width"], Float[Tensor, " inner"]]:
    """W, and one by the norm of each direction."""
    weight = torch.empty_like(direction, dtype=precision)
    inverse = torch.empty_like(length)
    _normalise[(len(direction),)](
        direction, length, weight, inverse, direction.shape[1], BLOCK=_block(direction), num_warps=_WARPS
    )
    return weight, inverse


def _block(direction: Float[Tensor, "inner width"]) -> int:
    whole: int = triton.next_power_of_2(direction.shape[1])
    return min(_MOST, whole)


_MOST, _WARPS = 2048, 4


@triton.jit
def _normalise(direction_pointer, length_pointer, weight_pointer, inverse_pointer, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = row.to(tl.int64) * width
    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, width, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        part = tl.load(direction_pointer + start + columns, mask=columns < width, other=0.0)
        squares += part * part
    inverse = 1 / tl.sqrt(tl.sum(squares, 0))
    tl.store(inverse_pointer + row, inverse)
    factor = tl.load(length_pointer + row) * inverse
    for first in range(0, width, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        part = tl.load(direction_pointer + start + columns, mask=columns < width, other=0.0) * factor
        tl.store(weight_pointer + start + columns, part.to(weight_pointer.dtype.element_ty), mask=columns < width)


@triton.jit
def _normalise_backward(
    gradient_pointer, direction_pointer, length_pointer, inverse_pointer, to_direction_pointer, to_length_pointer,
    width, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    start = row.to(tl.int64) * width
    inverse = tl.load(inverse_pointer + row)
    along = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, width, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        gradient = tl.load(gradient_pointer + start + columns, mask=columns < width, other=0.0)
        along += gradient * tl.load(direction_pointer + start + columns, mask=columns < width, other=0.0)
    to_length = tl.sum(along, 0) * inverse
    tl.store(to_length_pointer + row, to_length)
    factor = tl.load(length_pointer + row) * inverse
    for first in range(0, width, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        gradient = tl.load(gradient_pointer + start + columns, mask=columns < width, other=0.0)
        direction = tl.load(direction_pointer + start + columns, mask=columns < width, other=0.0)
        # What would only lengthen the row is taken away.
        turned = (gradient - to_length * inverse * direction) * factor
        tl.store(to_direction_pointer + start + columns, turned, mask=columns < width)
