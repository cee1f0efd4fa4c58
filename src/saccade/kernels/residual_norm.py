"""LayerNorm(x + Dropout(u)), or LayerNorm(x) alone, in one pass over memory each way.

Torch makes four passes forward and as many back, and writes the mask. Here the kernel takes a few rows at a time, keeps
them on the chip, and draws the mask again in the backward pass. Sums run in float32 whatever the rows are stored in.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from saccade.kernels.column_sums import column_sums
from saccade.kernels.linear import product_dtype
from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

Rows = Float[Tensor, "*rows width"]
Column = Float[Tensor, " width"]


def reference(
    states: Rows,
    update: Rows | None,
    weight: Column,
    bias: Column,
    epsilon: float,
    dropout: float,
    seed: Int[Tensor, "2"],
) -> Rows:
    """The norm of what came in plus what is left of the update; the elements are numbered row by row."""
    if update is not None and dropout:
        numbers = torch.arange(update.numel(), device=update.device).view(update.shape)
        update = update * keep_mask(seed, numbers, dropout) / (1 - dropout)
    total = states if update is None else states + update
    return functional.layer_norm(total, weight.shape, weight, bias, epsilon)


def residual_norm(
    states: Rows, update: Rows, weight: Column, bias: Column, epsilon: float, dropout: float = 0.0
) -> tuple[Rows, Rows]:
    """The same by the kernels below, stored as the update is, as two views of one result.

    The result is read twice, by the next sub-layer and by the next residual sum, and torch would add the two gradients
    in a pass of its own. With a view for each reader the backward kernel is given both gradients and adds them.
    """
    seed = draw_seed(update.device) if dropout else update
    normal: Tensor
    again: Tensor
    normal, again = _ResidualNorm.apply(states, update, weight, bias, epsilon, dropout, update.dtype, seed)
    return normal, again


def layer_norm(states: Rows, weight: Column, bias: Column, epsilon: float) -> Rows:
    """Without an update; the result is stored in the type of the products to come."""
    normal: Tensor
    normal, _ = _ResidualNorm.apply(states, None, weight, bias, epsilon, 0.0, product_dtype(states), states)
    return normal


class _ResidualNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, update, weight, bias, epsilon, dropout, precision, seed):
        states, update = states.contiguous(), None if update is None else update.contiguous()
        width = states.shape[-1]
        rows = states.numel() // width
        room = torch.empty_like(states, dtype=precision)
        normal, again = room.view(states.shape), room.view(states.shape)
        # What the backward pass needs of the sum: the sum, in the precision of the rest, and its mean and spread.
        total = states if update is None else torch.empty_like(update)
        mean = torch.empty(rows, dtype=torch.float32, device=states.device)
        inverse = torch.empty_like(mean)
        _norm_forward[(triton.cdiv(rows, _ROWS),)](
            states, states if update is None else update, weight, bias, normal, total, mean, inverse,
            seed, rows, epsilon, threshold_of(dropout), 1 / (1 - dropout), WIDTH=width,
            WHOLE=triton.next_power_of_2(width), ROWS=_ROWS, ADDS=update is not None, DROPOUT=dropout > 0,
            num_warps=_WARPS,
        )  # fmt: skip
        ctx.save_for_backward(total, mean, inverse, weight, seed)
        ctx.dropout, ctx.dtypes = dropout, (states.dtype, None if update is None else update.dtype)
        ctx.set_materialize_grads(False)
        return normal, again

    @staticmethod
    def backward(ctx, *gradients):
        total, mean, inverse, weight, seed = ctx.saved_tensors
        given = [gradient.contiguous() for gradient in gradients if gradient is not None]
        if not given:
            return (None,) * 8
        width = total.shape[-1]
        rows = total.numel() // width
        to_states = torch.empty_like(total, dtype=ctx.dtypes[0])
        to_update = torch.empty_like(total, dtype=ctx.dtypes[1]) if ctx.dropout else to_states
        instances = min(triton.cdiv(rows, _ROWS_BACK), _INSTANCES)
        parts = torch.empty(2, instances, width, dtype=torch.float32, device=total.device)
        _norm_backward[(instances,)](
            given[0], given[-1], total, mean, inverse, weight, seed, to_states, to_update, parts,
            rows, instances, threshold_of(ctx.dropout), 1 / (1 - ctx.dropout), WIDTH=width,
            WHOLE=triton.next_power_of_2(width), ROWS=_ROWS_BACK, TWO=len(given) > 1, DROPOUT=ctx.dropout > 0,
            num_warps=_WARPS_BACK,
        )  # fmt: skip
        to_weight, to_bias = column_sums(parts)
        to_update = None if ctx.dtypes[1] is None else to_update.to(ctx.dtypes[1])
        return to_states, to_update, to_weight, to_bias, None, None, None, None


_ROWS, _WARPS = 2, 2
_ROWS_BACK, _WARPS_BACK, _INSTANCES = 2, 2, 1056


@triton.jit
def _norm_forward(
    states_pointer, update_pointer, weight_pointer, bias_pointer, normal_pointer, total_pointer, mean_pointer,
    inverse_pointer, seed, count, epsilon, threshold, rise,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, ROWS: tl.constexpr, ADDS: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WHOLE)
    numbers = rows[:, None] * WIDTH + columns[None, :]
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    total = tl.load(states_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
    if ADDS:
        update = tl.load(update_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
        if DROPOUT:
            update = tl.where(is_kept(seed, numbers, threshold), update * rise, 0.0)
        total += update
        tl.store(total_pointer + numbers, total.to(total_pointer.dtype.element_ty), mask=inside)
    mean = tl.sum(total, 1) / WIDTH
    apart = tl.where(inside, total - mean[:, None], 0.0)
    inverse = tl.rsqrt(tl.sum(apart * apart, 1) / WIDTH + epsilon)
    weight = tl.load(weight_pointer + columns, mask=columns < WIDTH, other=0.0).to(tl.float32)
    bias = tl.load(bias_pointer + columns, mask=columns < WIDTH, other=0.0).to(tl.float32)
    normal = apart * inverse[:, None] * weight[None, :] + bias[None, :]
    tl.store(normal_pointer + numbers, normal.to(normal_pointer.dtype.element_ty), mask=inside)
    tl.store(mean_pointer + rows, mean, mask=rows < count)
    tl.store(inverse_pointer + rows, inverse, mask=rows < count)


@triton.jit
def _norm_backward(
    gradient_pointer, again_pointer, total_pointer, mean_pointer, inverse_pointer, weight_pointer, seed,
    to_states_pointer, to_update_pointer, parts_pointer, count, instances, threshold, rise,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, ROWS: tl.constexpr, TWO: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    instance = tl.program_id(0)
    columns = tl.arange(0, WHOLE)
    weight = tl.load(weight_pointer + columns, mask=columns < WIDTH, other=0.0).to(tl.float32)
    to_weight = tl.zeros((ROWS, WHOLE), tl.float32)
    to_bias = tl.zeros((ROWS, WHOLE), tl.float32)
    # The next rows are on their way while these are worked on.
    rows = instance * ROWS + tl.arange(0, ROWS)
    numbers = rows[:, None] * WIDTH + columns[None, :]
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    next_gradient = tl.load(gradient_pointer + numbers, mask=inside, other=0.0)
    next_again = next_gradient
    if TWO:
        next_again = tl.load(again_pointer + numbers, mask=inside, other=0.0)
    next_total = tl.load(total_pointer + numbers, mask=inside, other=0.0)
    for first in range(instance * ROWS, count, instances * ROWS):
        gradient = next_gradient.to(tl.float32)
        if TWO:
            gradient += next_again.to(tl.float32)
        total = next_total.to(tl.float32)
        rows = first + instances * ROWS + tl.arange(0, ROWS)
        numbers = rows[:, None] * WIDTH + columns[None, :]
        inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
        next_gradient = tl.load(gradient_pointer + numbers, mask=inside, other=0.0)
        if TWO:
            next_again = tl.load(again_pointer + numbers, mask=inside, other=0.0)
        next_total = tl.load(total_pointer + numbers, mask=inside, other=0.0)
        rows = first + tl.arange(0, ROWS)
        numbers = rows[:, None] * WIDTH + columns[None, :]
        inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
        mean = tl.load(mean_pointer + rows, mask=rows < count, other=0.0)
        inverse = tl.load(inverse_pointer + rows, mask=rows < count, other=0.0)
        normal = tl.where(inside, (total - mean[:, None]) * inverse[:, None], 0.0)
        to_weight += gradient * normal
        to_bias += gradient
        weighted = gradient * weight[None, :]
        along = tl.sum(weighted * normal, 1) / WIDTH
        level = tl.sum(weighted, 1) / WIDTH
        slopes = (weighted - level[:, None] - normal * along[:, None]) * inverse[:, None]
        tl.store(to_states_pointer + numbers, slopes.to(to_states_pointer.dtype.element_ty), mask=inside)
        if DROPOUT:
            slopes = tl.where(is_kept(seed, numbers, threshold), slopes * rise, 0.0)
            tl.store(to_update_pointer + numbers, slopes.to(to_update_pointer.dtype.element_ty), mask=inside)
    part = parts_pointer + instance * WIDTH + columns
    tl.store(part, tl.sum(to_weight, 0), mask=columns < WIDTH)
    tl.store(part + instances * WIDTH, tl.sum(to_bias, 0), mask=columns < WIDTH)
