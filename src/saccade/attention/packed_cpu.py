"""Scaled dot-product attention on a processor for sentences that share a row.

    P = softmax(Q K^T / sqrt(d_k))     O = (P * M) V        M: zero where a weight is dropped, else 1 / (1 - p)

    dV = (P * M)^T dO     dP = (dO V^T) * M     dS = P * (dP - sum_key(P * dP))     dQ = dS K     dK = dS^T Q

Sentences are short, so P is smaller than Q: it is kept from the forward to the backward pass. With or without dropout
that is six batched products of contiguous matrices, and the only other cost is to bring the vectors there and back.
All of it is in float32, also where vectors come and go in bfloat16: a batch has new shapes every time, and for each
the library would first make a program that multiplies bfloat16.
"""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.attention.grouping import Group, SentenceGroups, SlotIndex
from saccade.dropout import dropout_mask


def packed_attention(
    query: Float[Tensor, "1 heads query key_width"],
    keys: Float[Tensor, "1 heads key key_width"],
    values: Float[Tensor, "1 heads key value_width"],
    grouping: SentenceGroups,
    dropout: float,
) -> Float[Tensor, "1 heads query value_width"]:
    """Equation 1 for each sentence of a packed row."""
    row = query[0], keys[0], values[0]
    with torch.autocast("cpu", enabled=False):
        context: Tensor = _PackedAttention.apply(*row, grouping, dropout)  # type: ignore[no-untyped-call]
    return context.unsqueeze(0)


class _PackedAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, query: Tensor, keys: Tensor, values: Tensor, grouping: SentenceGroups, dropout: float
    ) -> Float[Tensor, "heads query value_width"]:
        heads = query.shape[0]
        ctx.grouping, ctx.heads, ctx.scale, ctx.factor = grouping, heads, 1 / math.sqrt(query.shape[-1]), 1.0
        saved, contexts = [], []
        for group in grouping.groups:
            q, k, v = _taken(query, group.queries), _taken(keys, group.keys), _taken(values, group.keys)
            weights = _weights(q, k, group, heads, ctx.scale)
            dropped = weights
            saved += [q, k, v, weights]
            if dropout:
                mask, ctx.factor = dropout_mask(weights, dropout)
                dropped = torch.mul(weights, mask).mul_(ctx.factor)
                saved.append(mask)
            contexts.append(torch.bmm(dropped, v))
        ctx.dropout = dropout
        ctx.save_for_backward(*saved)
        return _brought_back(contexts, grouping.queries, heads).to(query.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        grouping: SentenceGroups = ctx.grouping
        saved = iter(ctx.saved_tensors)
        query_gradients, key_gradients, value_gradients = [], [], []
        for group in grouping.groups:
            q, k, v, weights = next(saved), next(saved), next(saved), next(saved)
            out = _taken(gradient, group.queries)
            flow = torch.bmm(out, v.transpose(1, 2))
            dropped = weights
            if ctx.dropout:
                mask = next(saved)
                dropped = torch.mul(weights, mask).mul_(ctx.factor)
                flow.mul_(mask).mul_(ctx.factor)
            value_gradients.append(torch.bmm(dropped.transpose(1, 2), out))
            flow.mul_(weights)
            flow.addcmul_(weights, flow.sum(-1, keepdim=True), value=-1).mul_(ctx.scale)
            query_gradients.append(torch.bmm(flow, k))
            key_gradients.append(torch.bmm(flow.transpose(1, 2), q))
        parts = (query_gradients, grouping.queries), (key_gradients, grouping.keys), (value_gradients, grouping.keys)
        query, keys, values = (_brought_back(part, way, ctx.heads).to(gradient.dtype) for part, way in parts)
        return query, keys, values, None, None


def _weights(
    query: Float[Tensor, "rows_heads query width"],
    keys: Float[Tensor, "rows_heads key width"],
    group: Group,
    heads: int,
    scale: float,
) -> Float[Tensor, "rows_heads query key"]:
    scores = torch.bmm(query, keys.transpose(1, 2))
    by_row = scores.view(-1, heads, *scores.shape[1:])
    by_row.mul_(scale).add_(group.hidden)
    torch.softmax(scores, -1, out=scores)
    by_row.mul_(group.sees)
    return scores


def _taken(
    tensor: Float[Tensor, "heads slots width"], places: Int[Tensor, "rows length"]
) -> Float[Tensor, "rows_heads length width"]:
    """The vectors of these slots, each head's together."""
    heads, slots, width = tensor.shape
    rows, length = places.shape
    vectors, step = _as_vectors(tensor)
    index = places.unsqueeze(1) * step + torch.arange(heads).view(1, heads, 1)
    taken = vectors.index_select(0, index.flatten()).view(rows * heads, length, width)
    return taken.float() if taken.dtype == torch.bfloat16 else taken


def _as_vectors(tensor: Float[Tensor, "heads slots width"]) -> tuple[Float[Tensor, "vectors width"], int]:
    """The memory as a list of vectors; head h of slot n is number n * step + h.

    Heads stand side by side in memory, as the projection wrote them, perhaps with other projections between the slots.
    """
    heads, slots, width = tensor.shape
    if (
        tensor.stride(2) != 1
        or tensor.stride(0) != width
        or tensor.stride(1) % width
        or tensor.stride(1) < heads * width
    ):
        tensor = tensor.transpose(0, 1).contiguous().transpose(0, 1)
    step = tensor.stride(1) // width
    return tensor.as_strided(((slots - 1) * step + heads, width), (width, 1)), step


def _brought_back(
    groups: list[Float[Tensor, "_ _ width"]], way: SlotIndex, heads: int
) -> Float[Tensor, "heads slots width"]:
    """The vectors of all groups in the order of their slots, heads side by side in memory; zero for empty slots."""
    vectors = [group.flatten(0, 1) for group in groups]
    together = vectors[0] if len(vectors) == 1 else torch.cat(vectors)
    back = together.index_select(0, way.of(heads)).view(-1, heads, together.shape[-1])
    back[way.used :] = 0.0
    return back.transpose(0, 1)
