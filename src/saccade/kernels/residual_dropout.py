"""What came in plus what dropout leaves of an update, x + Dropout(u), without a mask in memory."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

Rows = Float[Tensor, "*rows width"]


def reference(states: Rows, update: Rows, dropout: float, seed: Int[Tensor, "2"]) -> Rows:
    """The sum; the elements are numbered row by row."""
    numbers = torch.arange(update.numel(), device=update.device).view(update.shape)
    return states + update * keep_mask(seed, numbers, dropout) / (1 - dropout)


def residual_dropout(states: Rows, update: Rows, dropout: float) -> Rows:
    """The same by the kernels below, stored as the states are."""
    result: Tensor = _ResidualDropout.apply(states, update, dropout, draw_seed(update.device))
    return result


class _ResidualDropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, update, dropout, seed):
        states, update = states.contiguous(), update.contiguous()
        total = torch.empty_like(states)
        count = total.numel()
        _dropout_forward[(triton.cdiv(count, _BLOCK),)](
            states, update, total, seed, count, threshold_of(dropout), 1 / (1 - dropout), BLOCK=_BLOCK, num_warps=4
        )
        ctx.save_for_backward(seed)
        ctx.dropout, ctx.dtype = dropout, update.dtype
        return total

    @staticmethod
    def backward(ctx, gradient):
        (seed,) = ctx.saved_tensors
        gradient = gradient.contiguous()
        to_update = torch.empty_like(gradient, dtype=ctx.dtype)
        count = gradient.numel()
        _dropout_backward[(triton.cdiv(count, _BLOCK),)](
            gradient,
            to_update,
            seed,
            count,
            threshold_of(ctx.dropout),
            1 / (1 - ctx.dropout),
            BLOCK=_BLOCK,
            num_warps=4,
        )
        return gradient, to_update, None, None


_BLOCK = 2048


@triton.jit
def _dropout_forward(states_pointer, update_pointer, total_pointer, seed, count, threshold, rise, BLOCK: tl.constexpr):
    numbers = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = numbers < count
    update = tl.load(update_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
    update = tl.where(is_kept(seed, numbers, threshold), update * rise, 0.0)
    total = tl.load(states_pointer + numbers, mask=inside, other=0.0).to(tl.float32) + update
    tl.store(total_pointer + numbers, total.to(total_pointer.dtype.element_ty), mask=inside)


@triton.jit
def _dropout_backward(gradient_pointer, update_pointer, seed, count, threshold, rise, BLOCK: tl.constexpr):
    numbers = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = numbers < count
    slopes = tl.load(gradient_pointer + numbers, mask=inside, other=0.0).to(tl.float32)
    slopes = tl.where(is_kept(seed, numbers, threshold), slopes * rise, 0.0)
    tl.store(update_pointer + numbers, slopes.to(update_pointer.dtype.element_ty), mask=inside)
