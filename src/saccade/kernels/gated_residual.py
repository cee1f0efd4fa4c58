"""f (A sigma(B) + x) for the two halves A and B of z + b: a gated linear unit, what came in, and their common factor.

In torch these are four passes, and six back; here one each, and the sum over rows that is the gradient of the bias.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.kernels.column_sums import column_sums

Rows = Float[Tensor, "*rows width"]
Double = Float[Tensor, "*rows twice"]


def reference(product: Double, bias: Float[Tensor, " twice"], past: Rows, factor: float) -> Rows:
    """The equation."""
    return (functional.glu(product + bias, dim=-1) + past) * factor


def gated_residual(product: Double, bias: Float[Tensor, " twice"], past: Rows, factor: float) -> Rows:
    """The same by the kernels below, stored as the product is."""
    result: Tensor = _GatedResidual.apply(product, bias, past, factor)
    return result


class _GatedResidual(torch.autograd.Function):
    @staticmethod
    def forward(ctx, product, bias, past, factor):
        product, past = product.contiguous(), past.contiguous()
        width = past.shape[-1]
        result = torch.empty_like(past, dtype=product.dtype)
        rows = past.numel() // width
        _gate_forward[(triton.cdiv(rows, _ROWS), triton.cdiv(width, _COLUMNS))](
            product, bias, past, result, rows, factor, WIDTH=width, ROWS=_ROWS, COLUMNS=_COLUMNS, num_warps=_WARPS
        )
        ctx.save_for_backward(product, bias)
        ctx.factor, ctx.dtype = factor, past.dtype
        return result

    @staticmethod
    def backward(ctx, gradient):
        product, bias = ctx.saved_tensors
        gradient = gradient.contiguous()
        width = gradient.shape[-1]
        rows = gradient.numel() // width
        to_product, to_past = torch.empty_like(product), torch.empty_like(gradient, dtype=ctx.dtype)
        instances = triton.cdiv(rows, _STRIP)
        parts = torch.empty(instances, 2 * width, dtype=torch.float32, device=gradient.device)
        _gate_backward[(instances, triton.cdiv(width, _COLUMNS))](
            gradient, product, bias, to_product, to_past, parts, rows, ctx.factor, WIDTH=width, STRIP=_STRIP,
            ROWS=_ROWS, COLUMNS=_COLUMNS, num_warps=_WARPS,
        )  # fmt: skip
        return to_product, column_sums(parts).to(bias.dtype), to_past, None


_ROWS, _COLUMNS, _STRIP, _WARPS = 8, 128, 32, 4


@triton.jit
def _gate_forward(
    product_pointer, bias_pointer, past_pointer, result_pointer, count, factor,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    narrow = columns < WIDTH
    inside = (rows < count)[:, None] & narrow[None, :]
    numbers = rows[:, None] * WIDTH + columns[None, :]
    halves = rows.to(tl.int64)[:, None] * (2 * WIDTH) + columns[None, :]
    value = tl.load(product_pointer + halves, mask=inside, other=0.0).to(tl.float32)
    gate = tl.load(product_pointer + halves + WIDTH, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(bias_pointer + columns, mask=narrow, other=0.0).to(tl.float32)[None, :]
    gate += tl.load(bias_pointer + WIDTH + columns, mask=narrow, other=0.0).to(tl.float32)[None, :]
    past = tl.load(past_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
    result = (value * tl.sigmoid(gate) + past) * factor
    tl.store(result_pointer + numbers, result.to(result_pointer.dtype.element_ty), mask=inside)


@triton.jit
def _gate_backward(
    gradient_pointer, product_pointer, bias_pointer, to_product_pointer, to_past_pointer, parts_pointer, count, factor,
    WIDTH: tl.constexpr, STRIP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    strip = tl.program_id(0)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    narrow = columns < WIDTH
    value_bias = tl.load(bias_pointer + columns, mask=narrow, other=0.0).to(tl.float32)
    gate_bias = tl.load(bias_pointer + WIDTH + columns, mask=narrow, other=0.0).to(tl.float32)
    values = tl.zeros((ROWS, COLUMNS), tl.float32)
    gates = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, STRIP, ROWS):
        rows = strip * STRIP + first + tl.arange(0, ROWS)
        inside = (rows < count)[:, None] & narrow[None, :]
        numbers = rows[:, None] * WIDTH + columns[None, :]
        halves = rows.to(tl.int64)[:, None] * (2 * WIDTH) + columns[None, :]
        slopes = tl.load(gradient_pointer + numbers, mask=inside, other=0.0).to(tl.float32) * factor
        value = tl.load(product_pointer + halves, mask=inside, other=0.0).to(tl.float32) + value_bias[None, :]
        gate = tl.load(product_pointer + halves + WIDTH, mask=inside, other=0.0).to(tl.float32) + gate_bias[None, :]
        opened = tl.sigmoid(gate)
        to_value = slopes * opened
        to_gate = slopes * value * opened * (1 - opened)
        tl.store(to_product_pointer + halves, to_value.to(to_product_pointer.dtype.element_ty), mask=inside)
        tl.store(to_product_pointer + halves + WIDTH, to_gate.to(to_product_pointer.dtype.element_ty), mask=inside)
        tl.store(to_past_pointer + numbers, slopes.to(to_past_pointer.dtype.element_ty), mask=inside)
        values += to_value
        gates += to_gate
    part = parts_pointer + strip * (2 * WIDTH) + columns
    tl.store(part, tl.sum(values, 0), mask=narrow)
    tl.store(part + WIDTH, tl.sum(gates, 0), mask=narrow)
