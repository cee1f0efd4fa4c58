"""x W^T + b, with or without a ReLU, and a backward pass of as few trips to memory as it takes.

The ReLU happens inside the product. Going back, the gradient through the ReLU and the gradient of the bias are one
pass, and the gradient of the weight leaves its product in the type in which the weight is kept.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.kernels.column_sums import column_sums
from saccade.kernels.parameter_copies import cast_to

Rows = Float[Tensor, "rows _"]


def reference(
    states: Float[Tensor, "*rows width"],
    weight: Float[Tensor, "inner width"],
    bias: Float[Tensor, " inner"] | None,
    relu: bool,
) -> Float[Tensor, "*rows inner"]:
    """The equation: x W^T + b, and max(0, that)."""
    result = functional.linear(states, weight, bias)
    return functional.relu(result) if relu else result


def linear(
    states: Float[Tensor, "*rows width"],
    weight: Float[Tensor, "inner width"],
    bias: Float[Tensor, " inner"] | None,
    relu: bool = False,
) -> Float[Tensor, "*rows inner"]:
    """The same by the library's products, and the kernel below in the backward pass."""
    result: Tensor = _Linear.apply(states, weight, bias, relu)
    return result


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, weight, bias, relu):
        ctx.dtypes = states.dtype, weight.dtype
        precision = product_dtype(states)
        rows, matrix = states.reshape(-1, states.shape[-1]).to(precision), cast_to(weight, precision)
        with torch.autocast(states.device.type, enabled=False):
            if bias is None:
                result = functional.relu(rows @ matrix.T) if relu else rows @ matrix.T
            elif relu:
                result = torch._addmm_activation(cast_to(bias, precision), rows, matrix.T)
            else:
                result = torch.addmm(cast_to(bias, precision), rows, matrix.T)
        ctx.save_for_backward(rows, matrix, result if relu else None)
        ctx.biased = bias is not None
        return result.view(*states.shape[:-1], -1)

    @staticmethod
    def backward(ctx, gradient):
        rows, weight, result = ctx.saved_tensors
        slopes = gradient.reshape(len(rows), -1)
        to_bias = None
        if ctx.biased or result is not None:
            slopes, to_bias = backward_sums(slopes, result)
        to_states = (slopes @ weight).view(*gradient.shape[:-1], -1).to(ctx.dtypes[0])
        to_weight = weight_gradient(slopes, rows, ctx.dtypes[1])
        return to_states, to_weight, to_bias.to(ctx.dtypes[1]) if ctx.biased else None, None


def product_dtype(states: Tensor) -> torch.dtype:
    """What products of these states are computed in: what autocast says, or what they are in."""
    device = states.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else states.dtype


def weight_gradient(slopes: Rows, rows: Rows, precision: torch.dtype) -> Float[Tensor, "inner width"]:
    """The gradient of W: every row's slopes times its input, added up, without rounding the sum on the way."""
    if slopes.is_cuda and slopes.dtype != precision == torch.float32:
        return torch.mm(slopes.T, rows, out_dtype=precision)
    return (slopes.T @ rows).to(precision)


def backward_sums(gradient: Rows, result: Rows | None) -> tuple[Rows, Float[Tensor, " inner"]]:
    """The gradient where the ReLU was open, or as it is where there was none, and its sum over the rows."""
    gradient = gradient.contiguous()
    rows, width = gradient.shape
    slopes = gradient if result is None else torch.empty_like(gradient)
    strip = _STRIP if result is None else _STRIP_OF_RELU
    strips, blocks = triton.cdiv(rows, strip), triton.cdiv(width, _BLOCK)
    parts = torch.empty(strips, width, dtype=torch.float32, device=gradient.device)
    _relu_and_sums[(blocks, strips)](
        gradient, gradient if result is None else result, slopes, parts, rows, width,
        STRIP=strip, ROWS=_ROWS, BLOCK=_BLOCK, RELU=result is not None, num_warps=4,
    )  # fmt: skip
    return slopes, column_sums(parts)


_STRIP, _STRIP_OF_RELU, _ROWS, _BLOCK = 128, 512, 16, 256


@triton.jit
def _relu_and_sums(
    gradient_pointer, result_pointer, slopes_pointer, parts_pointer, count, width,
    STRIP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    strip = tl.program_id(1)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in range(0, STRIP, ROWS):
        rows = strip * STRIP + first + tl.arange(0, ROWS)
        inside = (rows < count)[:, None] & (columns < width)[None, :]
        numbers = rows.to(tl.int64)[:, None] * width + columns[None, :]
        slopes = tl.load(gradient_pointer + numbers, mask=inside, other=0.0)
        if RELU:
            result = tl.load(result_pointer + numbers, mask=inside, other=0.0)
            slopes = tl.where(result > 0, slopes, 0.0)
            tl.store(slopes_pointer + numbers, slopes.to(slopes_pointer.dtype.element_ty), mask=inside)
        total += slopes.to(tl.float32)
    tl.store(parts_pointer + strip * width + columns, tl.sum(total, 0), mask=columns < width)
