"""Several linear maps of the same vectors as one matrix product, forward and back.

Attention's backward pass writes the gradients of queries, keys and values side by side into one matrix. Seen as that
matrix they need not be copied together before the two products that follow.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.kernels.linear import product_dtype, weight_gradient
from saccade.kernels.parameter_copies import stacked_as

Rows = Float[Tensor, "rows _"]


def projections(states: Float[Tensor, "*rows width"], *weights: Float[Tensor, "_ width"]) -> tuple[Tensor, ...]:
    """Gives x W_1^T, x W_2^T, ... as views of x [W_1; W_2; ...]^T."""
    results: tuple[Tensor, ...] = _Projections.apply(states, *weights)
    return results


class _Projections(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, *weights):
        ctx.dtypes, ctx.sizes = (states.dtype, weights[0].dtype), [len(weight) for weight in weights]
        precision = product_dtype(states)
        states, weight = states.to(precision), stacked_as(weights, precision)
        rows = states.reshape(-1, states.shape[-1])
        with torch.autocast(states.device.type, enabled=False):
            joined = rows @ weight.T
        ctx.save_for_backward(rows, weight)
        return tuple(joined.view(*states.shape[:-1], -1).split(ctx.sizes, dim=-1))

    @staticmethod
    def backward(ctx, *gradients):
        rows, weight = ctx.saved_tensors
        joined = joined_columns([gradient.reshape(-1, gradient.shape[-1]) for gradient in gradients])
        to_states = (joined @ weight).view(*gradients[0].shape[:-1], -1)
        to_weights = weight_gradient(joined, rows, ctx.dtypes[1]).split(ctx.sizes)
        return to_states.to(ctx.dtypes[0]), *to_weights


def joined_columns(parts: list[Rows]) -> Rows:
    """These matrices as one, without a copy where they already lie side by side in memory."""
    first, width = parts[0], sum(part.shape[1] for part in parts)
    place = first.storage_offset()
    for part in parts:
        beside = part.untyped_storage().data_ptr() == first.untyped_storage().data_ptr()
        if not beside or part.storage_offset() != place or part.stride() != (width, 1):
            return torch.cat(parts, dim=1)
        place += part.shape[1]
    return first.as_strided((len(first), width), (width, 1))
