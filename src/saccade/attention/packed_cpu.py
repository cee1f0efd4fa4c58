"""Scaled dot-product attention on a CPU for packed batches, in which sentences share a row.

    P = softmax(Q K^T / sqrt(d_k))     O = (P * M) V        M: zero where a weight is dropped, else 1 / (1 - p)

    dV = (P * M)^T dO     dP = (dO V^T) * M     dS = P * (dP - sum_key(P * dP))     dQ = dS K     dK = dS^T Q

A batched product needs matrices of one size. Sentences of similar length form a group, padded to its longest sentence.
Where batched products of small matrices are slow, several sentences stand side by side in a row of the group, and the
mask keeps them apart. Sentences are short, so P is smaller than Q and is kept for the backward pass. With or without
dropout that is six batched products of contiguous matrices; the rest of the cost is gathering the vectors and
scattering them back. All of it is computed in float32, also where vectors come and go in bfloat16: batches have new
shapes every time, and for bfloat16 the library compiles a kernel for each new shape.

In float32 `packed_cpu_fast.py` does the same faster, where a C++ compiler was found at installation.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from saccade.dropout import dropout_mask
from saccade.sequences import Packing

# MKL multiplies many small matrices well. Elsewhere torch calls a product for each, and only one of this size is worth
# the call.
SMALL = 1 if torch.backends.mkl.is_available() else 64  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Group:
    """Sentences of similar length as a rectangle: the slot of the packed row at each place, and the mask.

    A place beyond the end of a sentence holds slot 0. No query sees it, and its own output is not used.
    """

    queries: Int[Tensor, "rows query"]
    keys: Int[Tensor, "rows key"]
    hidden: Float[Tensor, "rows 1 query key"]
    """Added to the scores: zero where a query sees a key, and the lowest float32 where not."""
    sees: Float[Tensor, "rows 1 query 1"]
    """One for a query that sees anything, zero for one that is padding or sees nothing."""


@dataclass(frozen=True)
class SlotIndex:
    """For each slot of the packed row, the index of its vectors in the concatenated outputs of all groups.

    Head h of a slot is number `row` * heads + h * `length` + `column`. Slots from `used` on hold no token.
    """

    row: Int[Tensor, " slots"]
    column: Int[Tensor, " slots"]
    length: Int[Tensor, " slots"]
    used: int

    def of(self, heads: int) -> Int[Tensor, " slots_heads"]:
        """The number of each vector, slot after slot."""
        head = torch.arange(heads)
        return (self.row.unsqueeze(1) * heads + head * self.length.unsqueeze(1) + self.column.unsqueeze(1)).flatten()


@dataclass(frozen=True)
class SentenceGroups:
    """All sentences of a packed row in groups, and the index that brings their outputs back into the row."""

    groups: tuple[Group, ...]
    queries: SlotIndex
    keys: SlotIndex


def group_sentences(
    queries: Packing, keys: Packing, causal: bool, window: int | None, small: int = SMALL
) -> SentenceGroups:
    """Groups sentences, longest first; a group ends where sentences are less than half as long as its longest."""
    query_lengths, key_lengths = queries.offsets.diff(), keys.offsets.diff()
    longer = torch.maximum(query_lengths, key_lengths)
    order = longer.argsort(descending=True, stable=True)
    order = order[longer[order] > 0]
    query_sides, key_sides, groups = [], [], []
    for members in _similar_lengths(order, longer):
        per_row = max(1, small // int(longer[members[0]]))
        query = _rectangle(queries.offsets[members], query_lengths[members], per_row)
        key = _rectangle(keys.offsets[members], key_lengths[members], per_row)
        seen = _visible(query, key, causal, window).unsqueeze(1)
        hidden = torch.zeros(seen.shape).masked_fill_(~seen, torch.finfo(torch.float32).min)
        groups.append(Group(query.slots, key.slots, hidden, seen.any(-1, keepdim=True).float()))
        query_sides.append(query)
        key_sides.append(key)
    return SentenceGroups(tuple(groups), _slot_index(query_sides, queries), _slot_index(key_sides, keys))


def _similar_lengths(
    order: Int[Tensor, " sentences"], longer: Int[Tensor, " all"]
) -> Iterator[Int[Tensor, " members"]]:
    lengths = longer[order]
    start = 0
    while start < len(order):
        end = start + int((2 * lengths[start:] >= lengths[start]).sum())
        yield order[start:end]
        start = end


@dataclass(frozen=True)
class _Side:
    slots: Int[Tensor, "rows length"]
    positions: Int[Tensor, "rows length"]
    real: Bool[Tensor, "rows length"]


# Further than any two tokens of one sentence are from each other.
_APART = 2**32


def _rectangle(starts: Int[Tensor, " members"], lengths: Int[Tensor, " members"], per_row: int) -> _Side:
    """The slots of these sentences, `per_row` of them to a row.

    Positions of neighbours in a row are so far apart that they also tell which sentence a token belongs to.
    """
    missing = -len(starts) % per_row
    starts, lengths = (functional.pad(side, (0, missing)) for side in (starts, lengths))
    columns = torch.arange(int(lengths.max()))
    real = columns < lengths.unsqueeze(1)
    slots = (starts.unsqueeze(1) + columns).where(real, 0)
    positions = torch.arange(len(starts)).remainder(per_row).unsqueeze(1) * _APART + columns
    rows = len(starts) // per_row
    return _Side(slots.view(rows, -1), positions.view(rows, -1), real.view(rows, -1))


def _visible(queries: _Side, keys: _Side, causal: bool, window: int | None) -> Bool[Tensor, "rows query key"]:
    distance = queries.positions.unsqueeze(2) - keys.positions.unsqueeze(1)
    seen = (distance.abs() < _APART // 2) & queries.real.unsqueeze(2) & keys.real.unsqueeze(1)
    if causal:
        seen &= distance >= 0
    if window is not None:
        seen &= distance.abs() <= window
    return seen


def _slot_index(sides: list[_Side], packing: Packing) -> SlotIndex:
    row, column, length = (torch.zeros(packing.sentence.shape[1], dtype=torch.int64) for _ in range(3))
    before = 0
    for side in sides:
        slots, (rows, width) = side.slots[side.real], side.slots.shape
        row[slots] = (before + torch.arange(rows) * width).unsqueeze(1).expand(rows, width)[side.real]
        column[slots] = torch.arange(width).expand(rows, width)[side.real]
        length[slots] = width
        before += rows * width
    return SlotIndex(row, column, length, int(packing.offsets[-1]))


def packed_attention(
    query: Float[Tensor, "1 heads query key_width"],
    keys: Float[Tensor, "1 heads key key_width"],
    values: Float[Tensor, "1 heads key value_width"],
    groups: SentenceGroups,
    dropout: float,
) -> Float[Tensor, "1 heads query value_width"]:
    """Equation 1 for each sentence of a packed row."""
    row = query[0], keys[0], values[0]
    with torch.autocast("cpu", enabled=False):
        context: Tensor = _PackedAttention.apply(*row, groups, dropout)  # type: ignore[no-untyped-call]
    return context.unsqueeze(0)


class _PackedAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, query: Tensor, keys: Tensor, values: Tensor, groups: SentenceGroups, dropout: float
    ) -> Float[Tensor, "heads query value_width"]:
        heads = query.shape[0]
        ctx.groups, ctx.heads, ctx.scale, ctx.factor = groups, heads, 1 / math.sqrt(query.shape[-1]), 1.0
        saved, contexts = [], []
        for group in groups.groups:
            q, k, v = _gather(query, group.queries), _gather(keys, group.keys), _gather(values, group.keys)
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
        return _scatter_back(contexts, groups.queries, heads).to(query.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        groups: SentenceGroups = ctx.groups
        saved = iter(ctx.saved_tensors)
        query_gradients, key_gradients, value_gradients = [], [], []
        for group in groups.groups:
            q, k, v, weights = next(saved), next(saved), next(saved), next(saved)
            out = _gather(gradient, group.queries)
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
        parts = (query_gradients, groups.queries), (key_gradients, groups.keys), (value_gradients, groups.keys)
        query, keys, values = (_scatter_back(part, index, ctx.heads).to(gradient.dtype) for part, index in parts)
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


def _gather(
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


def _scatter_back(
    outputs: list[Float[Tensor, "_ _ width"]], index: SlotIndex, heads: int
) -> Float[Tensor, "heads slots width"]:
    """The vectors of all groups in the order of their slots, heads side by side in memory; zero for empty slots."""
    vectors = [output.flatten(0, 1) for output in outputs]
    together = vectors[0] if len(vectors) == 1 else torch.cat(vectors)
    back = together.index_select(0, index.of(heads)).view(-1, heads, together.shape[-1])
    back[index.used :] = 0.0
    return back.transpose(0, 1)
