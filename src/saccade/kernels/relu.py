"""The first half of a feed-forward network, max(0, x W^T + b), with the ReLU inside the product.

Going back, the gradient through the ReLU and the gradient of the bias are one pass instead of two.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def plain(
    states: Float[Tensor, "*rows width"], weight: Float[Tensor, "inner width"], bias: Float[Tensor, " inner"]
) -> Float[Tensor, "*rows inner"]:
    """max(0, x W^T + b)."""
    return functional.relu(functional.linear(states, weight, bias))


def linear_relu(
    states: Float[Tensor, "*rows width"], weight: Float[Tensor, "inner width"], bias: Float[Tensor, " inner"]
) -> Float[Tensor, "*rows inner"]:
    """The same by the library's product with a ReLU at its end, and the program below going back."""
    result: Tensor = _LinearRelu.apply(states, weight, bias)
    return result


class _LinearRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, weight, bias):
        ctx.dtypes = states.dtype, weight.dtype
        if torch.is_autocast_enabled(states.device.type):
            precision = torch.get_autocast_dtype(states.device.type)
            states, weight, bias = states.to(precision), weight.to(precision), bias.to(precision)
        rows = states.reshape(-1, states.shape[-1])
        with torch.autocast(states.device.type, enabled=False):
            inner = torch._addmm_activation(bias, rows, weight.T)
        ctx.save_for_backward(rows, weight, inner)
        return inner.view(*states.shape[:-1], -1)

    @staticmethod
    def backward(ctx, gradient):
        rows, weight, inner = ctx.saved_tensors
        slopes, to_bias = through_relu(gradient.reshape(inner.shape), inner)
        to_states = (slopes @ weight).view(*gradient.shape[:-1], -1)
        return to_states.to(ctx.dtypes[0]), (slopes.T @ rows).to(ctx.dtypes[1]), to_bias.to(ctx.dtypes[1])


def through_relu(
    gradient: Float[Tensor, "rows inner"], inner: Float[Tensor, "rows inner"]
) -> tuple[Float[Tensor, "rows inner"], Float[Tensor, " inner"]]:
    """The gradient where the ReLU was open, and its sum over the rows."""
    gradient = gradient.contiguous()
    rows, width = gradient.shape
    slopes = torch.empty_like(gradient)
    strips, blocks = triton.cdiv(rows, _STRIP), triton.cdiv(width, _BLOCK)
    parts = torch.empty(strips, width, dtype=torch.float32, device=gradient.device)
    _through[(blocks, strips)](
        gradient, inner, slopes, parts, rows, width, STRIP=_STRIP, ROWS=_ROWS, BLOCK=_BLOCK, num_warps=4
    )
    return slopes, parts.sum(0)


_STRIP, _ROWS, _BLOCK = 128, 8, 512


@triton.jit
def _through(
    gradient_pointer, inner_pointer, slopes_pointer, parts_pointer, count, width,
    STRIP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    strip = tl.program_id(1)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in range(0, STRIP, ROWS):
        rows = strip * STRIP + first + tl.arange(0, ROWS)
        inside = (rows < count)[:, None] & (columns < width)[None, :]
        numbers = rows.to(tl.int64)[:, None] * width + columns[None, :]
        gradient = tl.load(gradient_pointer + numbers, mask=inside, other=0.0)
        inner = tl.load(inner_pointer + numbers, mask=inside, other=0.0)
        slopes = tl.where(inner > 0, gradient, 0.0)
        tl.store(slopes_pointer + numbers, slopes.to(slopes_pointer.dtype.element_ty), mask=inside)
        total += slopes.to(tl.float32)
    tl.store(parts_pointer + strip * width + columns, tl.sum(total, 0), mask=columns < width)
