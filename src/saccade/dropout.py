"""Dropout on a CPU with cheap random numbers.

On a CPU, drawing a random float for an element takes many times as long as adding two. Sixteen random bits suffice for
the decision, and a 64-bit generator yields four decisions at a time. The seed comes from torch's own generator, so that
seeding torch seeds this. On a GPU torch's dropout is fast already, and a compiler cannot trace this generator: there
torch's own is used.
"""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

_LEVELS = 2**16


def dropout(states: Float[Tensor, "*shape"], probability: float, training: bool) -> Float[Tensor, "*shape"]:
    """Each element is zero with this probability, and else larger by as much as keeps its expectation."""
    if not training or probability == 0:
        return states
    if _torch_is_better(states):
        return functional.dropout(states, probability)
    dropped: Tensor = _Dropout.apply(states, probability)  # type: ignore[no-untyped-call]
    return dropped


def plus_dropout(
    states: Float[Tensor, "*shape"], update: Float[Tensor, "*shape"], probability: float, training: bool
) -> Float[Tensor, "*shape"]:
    """Gives x + Dropout(y) in one pass over memory."""
    if not training or probability == 0 or _torch_is_better(update) or states.dtype != update.dtype:
        return states + dropout(update, probability, training)
    total: Tensor = _PlusDropout.apply(states, update, probability)  # type: ignore[no-untyped-call]
    return total


def dropout_mask(like: Float[Tensor, "*shape"], probability: float) -> tuple[Float[Tensor, "*shape"], float]:
    """One where an element stays and zero where not, and the factor that keeps the expectation what it was.

    The probability is rounded to 1 / 65536, and the factor is made for the rounded one: the expectation is exact.
    """
    dropped = min(round(probability * _LEVELS), _LEVELS - 1)
    seed = int(torch.randint(2**62, ()).item())
    count = like.numel()
    words = np.random.SFC64(seed).random_raw(-(-count // 4))
    decisions = torch.from_numpy(np.asarray(words).view(np.int16)[:count]).view(like.shape)
    # Comparing into floats at once is a third of the time of a boolean mask that is multiplied with later.
    mask = torch.ge(decisions, dropped - _LEVELS // 2, out=torch.empty(like.shape, dtype=like.dtype))
    return mask, _LEVELS / (_LEVELS - dropped)


def _torch_is_better(tensor: Tensor) -> bool:
    return tensor.device.type != "cpu" or torch.compiler.is_compiling()


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, probability: float) -> Tensor:
        mask, ctx.factor = dropout_mask(states, probability)
        ctx.save_for_backward(mask)
        return torch.mul(states, mask).mul_(ctx.factor)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (mask,) = ctx.saved_tensors
        return torch.mul(gradient, mask).mul_(ctx.factor), None


class _PlusDropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, update: Tensor, probability: float) -> Tensor:
        mask, ctx.factor = dropout_mask(update, probability)
        ctx.save_for_backward(mask)
        return torch.addcmul(states, update, mask, value=ctx.factor)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        (mask,) = ctx.saved_tensors
        return gradient, torch.mul(gradient, mask).mul_(ctx.factor), None
