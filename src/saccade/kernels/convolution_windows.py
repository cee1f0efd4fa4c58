"""The windows of a convolution side by side, of what padding and dropout leave of the states, in one pass each way.

In torch, padding to zero, dropout, zeros around the sentence, laying windows side by side and the type of the product
are five passes, and twice as many back.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from saccade.kernels.linear import product_dtype
from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

States = Float[Tensor, "batch length width"]


def reference(
    states: States,
    real: Bool[Tensor, "batch length"] | None,
    size: int,
    before: int,
    dropout: float,
    seed: Int[Tensor, "2"],
) -> Float[Tensor, "batch length together"]:
    """For each position, `size` positions from `before` earlier on; outside a sentence there are zeros."""
    if real is not None:
        states = states.masked_fill(~real.unsqueeze(-1), 0.0)
    if dropout:
        numbers = torch.arange(states.numel(), device=states.device).view(states.shape)
        states = states * keep_mask(seed, numbers, dropout) / (1 - dropout)
    length = states.shape[1]
    around = functional.pad(states, (0, 0, before, size - 1 - before))
    return torch.cat([around[:, offset : offset + length] for offset in range(size)], dim=-1)


def convolution_windows(
    states: States, real: Bool[Tensor, "batch length"] | None, size: int, before: int, dropout: float = 0.0
) -> tuple[Float[Tensor, "batch length together"], States]:
    """The same by the kernels below, in the type of the product to come; and the states once more.

    Whoever else reads the states takes the second result: both gradients are then added in the same pass.
    """
    seed = draw_seed(states.device) if dropout else None
    together: Tensor
    again: Tensor
    together, again = _Windows.apply(states, real, size, before, dropout, product_dtype(states), seed)
    return together, again


class _Windows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, real, size, before, dropout, precision, seed):
        states = states.contiguous()
        batch, length, width = states.shape
        real = None if real is None else real.contiguous()
        together = torch.empty(batch, length, size * width, dtype=precision, device=states.device)
        _windows_forward[(triton.cdiv(batch * length, _ROWS),)](
            states, states if real is None else real, together, states if seed is None else seed, batch * length,
            length, before, threshold_of(dropout), 1 / (1 - dropout), WIDTH=width, WHOLE=triton.next_power_of_2(width),
            SIZE=size, ROWS=_ROWS, MASKED=real is not None, DROPOUT=dropout > 0, num_warps=_WARPS,
        )  # fmt: skip
        ctx.save_for_backward(seed, real)
        ctx.window, ctx.dropout, ctx.like = (size, before), dropout, (states.shape, states.dtype)
        ctx.set_materialize_grads(False)
        return together, states.view(states.shape)

    @staticmethod
    def backward(ctx, gradient, beside):
        if gradient is None:
            return beside, None, None, None, None, None, None
        seed, real = ctx.saved_tensors
        shape, dtype = ctx.like
        batch, length, width = shape
        gradient, beside = gradient.contiguous(), None if beside is None else beside.contiguous()
        to_states = torch.empty(shape, dtype=dtype, device=gradient.device)
        _windows_backward[(triton.cdiv(batch * length, _ROWS),)](
            gradient, gradient if beside is None else beside, gradient if real is None else real, to_states,
            gradient if seed is None else seed, batch * length, length, ctx.window[1], threshold_of(ctx.dropout),
            1 / (1 - ctx.dropout), WIDTH=width, WHOLE=triton.next_power_of_2(width), SIZE=ctx.window[0], ROWS=_ROWS,
            MASKED=real is not None, BESIDE=beside is not None, DROPOUT=ctx.dropout > 0, num_warps=_WARPS,
        )  # fmt: skip
        return to_states, None, None, None, None, None, None


_ROWS, _WARPS = 8, 4


@triton.jit
def _windows_forward(
    states_pointer, real_pointer, together_pointer, seed, count, length, before, threshold, rise,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, SIZE: tl.constexpr, ROWS: tl.constexpr, MASKED: tl.constexpr,
    DROPOUT: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WHOLE)
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    for offset in tl.static_range(SIZE):
        place = rows % length + offset - before
        seen = (rows < count) & (place >= 0) & (place < length)
        others = rows + offset - before
        if MASKED:
            seen = seen & (tl.load(real_pointer + others, mask=seen, other=0) != 0)
        numbers = others[:, None] * WIDTH + columns[None, :]
        states = tl.load(states_pointer + numbers, mask=seen[:, None] & inside, other=0.0).to(tl.float32)
        if DROPOUT:
            states = tl.where(is_kept(seed, numbers, threshold), states * rise, 0.0)
        target = rows.to(tl.int64)[:, None] * (SIZE * WIDTH) + offset * WIDTH + columns[None, :]
        tl.store(together_pointer + target, states.to(together_pointer.dtype.element_ty), mask=inside)


@triton.jit
def _windows_backward(
    gradient_pointer, beside_pointer, real_pointer, states_pointer, seed, count, length, before, threshold, rise,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, SIZE: tl.constexpr, ROWS: tl.constexpr, MASKED: tl.constexpr,
    BESIDE: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WHOLE)
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    numbers = rows[:, None] * WIDTH + columns[None, :]
    total = tl.zeros((ROWS, WHOLE), tl.float32)
    for offset in tl.static_range(SIZE):
        # The position whose window has this one at `offset`.
        place = rows % length - offset + before
        seen = (rows < count) & (place >= 0) & (place < length)
        others = (rows - offset + before).to(tl.int64)
        source = others[:, None] * (SIZE * WIDTH) + offset * WIDTH + columns[None, :]
        total += tl.load(gradient_pointer + source, mask=seen[:, None] & inside, other=0.0).to(tl.float32)
    if DROPOUT:
        total = tl.where(is_kept(seed, numbers, threshold), total * rise, 0.0)
    if MASKED:
        real = tl.load(real_pointer + rows, mask=rows < count, other=0) != 0
        total = tl.where(real[:, None], total, 0.0)
    if BESIDE:
        total += tl.load(beside_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
    tl.store(states_pointer + numbers, total.to(states_pointer.dtype.element_ty), mask=inside)
