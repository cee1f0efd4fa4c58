"""Scaled dot-product attention: Vaswani et al. 2017, equation 1.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

Three ways to the same numbers. `explicit` is the equation, and hands out the weights. `fused` never writes the weights
to memory. `windowed` computes only the blocks of the score matrix that a restricted self-attention can see.
"""

import math
from contextlib import nullcontext
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from saccade.attention.head_scores import HeadScores
from saccade.attention.masks import QueryKeyPacking, Visibility
from saccade.attention.packed_cpu import packed_attention
from saccade.attention.packed_cpu_fast import packed_attention_fast
from saccade.kernels import library_available_for, triton_available_for


class Attended(NamedTuple):
    """What a query took, and from where."""

    context: Float[Tensor, "batch heads query value_width"]
    weights: Float[Tensor, "batch heads query key"]


def explicit(
    query: Float[Tensor, "batch heads query key_width"],
    keys: Float[Tensor, "batch heads key key_width"],
    values: Float[Tensor, "batch heads key value_width"],
    visibility: Visibility,
    dropout: float = 0.0,
    score: HeadScores | None = None,
) -> Attended:
    """Equation 1, step by step. A query that may see nothing takes nothing: its context is zero.

    The dot product of two vectors of d_k independent components with unit variance has variance d_k; dividing by
    sqrt(d_k) keeps the softmax away from the region where its gradient vanishes (section 3.2.1). With another score,
    the keys are what that score has prepared.
    """
    scores = query @ keys.transpose(-2, -1) / math.sqrt(query.shape[-1]) if score is None else score(query, keys)
    seen = visibility.dense(query.shape[-2], keys.shape[-2], query.device)
    if seen is not None:
        seen = seen.unsqueeze(1)
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if seen is not None:
        weights = weights.masked_fill(~seen, 0.0)
    return Attended(functional.dropout(weights, dropout) @ values, weights)


def fused(
    query: Float[Tensor, "batch heads query key_width"],
    keys: Float[Tensor, "batch heads key key_width"],
    values: Float[Tensor, "batch heads key value_width"],
    visibility: Visibility,
    dropout: float = 0.0,
) -> Float[Tensor, "batch heads query value_width"]:
    """Equation 1 by torch's fused kernels, or by blocks where a narrow window makes most of the matrix invisible."""
    queries, length = query.shape[-2], keys.shape[-2]
    window, packing = visibility.window, visibility.packing
    if packing is not None:
        return packed(query, keys, values, visibility, packing, dropout)
    if window is not None and queries == length and length > 4 * (window + 1):
        return windowed(query, keys, values, visibility, window, dropout)
    if visibility.causal and visibility.keys is None and window is None and queries == length:
        return _kernel(query, keys, values, None, dropout, causal=True)
    seen = visibility.dense(queries, length, query.device)
    mask = None if seen is None else seen.unsqueeze(1)
    context = _kernel(query, keys, values, mask, dropout, causal=False)
    if mask is not None and window is not None:
        # Only a window can leave a query (of padding) with nothing to see, and not every kernel calls that zero.
        context = context.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return context


def packed(
    query: Float[Tensor, "1 heads query key_width"],
    keys: Float[Tensor, "1 heads key key_width"],
    values: Float[Tensor, "1 heads key value_width"],
    visibility: Visibility,
    packing: QueryKeyPacking,
    dropout: float = 0.0,
) -> Float[Tensor, "1 heads query value_width"]:
    """Equation 1 for sentences that share a row: one by one where there are kernels for it, else in groups."""
    supported = query.dtype in (torch.float32, torch.bfloat16)
    if library_available_for(query):
        packings = packing.queries, packing.keys
        return packed_attention_fast(query, keys, values, packings, visibility.causal, visibility.window, dropout)
    if query.device.type == "cpu" and supported and not torch.compiler.is_compiling():
        return packed_attention(query, keys, values, visibility.groups, dropout)
    if not triton_available_for(query) or visibility.window is not None:
        return explicit(query, keys, values, visibility, dropout).context
    from saccade.kernels.varlen_attention import heads_fit, varlen_attention

    row = query.squeeze(0), keys.squeeze(0), values.squeeze(0)
    if not heads_fit(row[0], row[2]):
        return explicit(query, keys, values, visibility, dropout).context
    offsets = packing.queries.offsets, packing.keys.offsets
    return varlen_attention(*row, *offsets, visibility.causal, dropout).unsqueeze(0)


# cuDNN plans anew for every shape, and sentences hardly ever come in the same shape twice: three times slower.
_BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


def _kernel(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, dropout: float, causal: bool) -> Tensor:
    with sdpa_kernel(_BACKENDS) if query.is_cuda else nullcontext():
        return functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )


def windowed(
    query: Float[Tensor, "batch heads length key_width"],
    keys: Float[Tensor, "batch heads length key_width"],
    values: Float[Tensor, "batch heads length value_width"],
    visibility: Visibility,
    window: int,
    dropout: float = 0.0,
) -> Float[Tensor, "batch heads length value_width"]:
    """Restricted self-attention in time and memory linear in the length: section 4 of the paper, Table 1's last row.

    The sequence is cut into blocks as long as the window reaches; a block of queries sees its own keys and those of
    its neighbours, so each block attends to three blocks (two when causal) instead of to the whole sequence.
    """
    batch, heads, length, _ = query.shape
    block = window + 1
    blocks = -(-length // block)
    before, after = block, 0 if visibility.causal else block
    padded = blocks * block
    span = before + block + after

    def cut(tensor: Tensor) -> Tensor:
        around = functional.pad(tensor, (0, 0, before, padded - length + after))
        return around.unfold(2, span, block).transpose(-2, -1)

    real = torch.ones(1, length, dtype=torch.bool, device=query.device) if visibility.keys is None else visibility.keys
    real_around = functional.pad(real, (before, padded - length + after)).unfold(1, span, block)
    positions = torch.arange(span, device=query.device) - before
    distance = torch.arange(block, device=query.device).unsqueeze(1) - positions
    near = (distance >= 0) & (distance <= window) if visibility.causal else distance.abs() <= window
    seen = real_around.unsqueeze(2) & near

    queries = functional.pad(query, (0, 0, 0, padded - length)).view(batch, heads, blocks, block, -1)
    scores = queries @ cut(keys).transpose(-2, -1) / math.sqrt(query.shape[-1])
    seen = seen.unsqueeze(1)
    weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~seen, 0.0)
    context = functional.dropout(weights, dropout) @ cut(values)
    return context.reshape(batch, heads, padded, -1)[:, :, :length]
