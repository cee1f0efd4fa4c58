"""Sentences that share a row, dealt out into rectangles for a processor's batched products.

A batched product wants matrices of one size, and sentences have many. Sentences of similar length are put into one
group, and a group is as wide as its longest. Where a batched product is slow for small matrices, several sentences
stand side by side in a row of the rectangle, and the mask keeps them apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from saccade.sequences import Packing

# Intel's library multiplies many small matrices well. Elsewhere torch calls the product for each one, and one of this
# size is worth a call.
SMALL = 1 if torch.backends.mkl.is_available() else 64  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Group:
    """Some sentences as a rectangle: which slot of the packed row stands at each place, and who sees whom.

    A place beyond the end of a sentence holds slot 0; nobody sees it, and what it sees counts nothing.
    """

    queries: Int[Tensor, "rows query"]
    keys: Int[Tensor, "rows key"]
    hidden: Float[Tensor, "rows 1 query key"]
    """Zero where a query sees a key, and a number that ends every hope of weight where not."""
    sees: Float[Tensor, "rows 1 query 1"]
    """One for a query that sees anything, zero for one that is not there or sees nothing."""


@dataclass(frozen=True)
class SlotIndex:
    """For each slot, where its vectors stand when those of all groups follow one another, heads before places.

    Head h of a slot is number `row` * heads + h * `length` + `column`. Slots from `used` on hold no token and no place.
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
    """All sentences of a packed row in groups, and the ways back."""

    groups: tuple[Group, ...]
    queries: SlotIndex
    keys: SlotIndex


def group_sentences(
    queries: Packing, keys: Packing, causal: bool, window: int | None, small: int = SMALL
) -> SentenceGroups:
    """Deals out sentences, longest first; a group ends where sentences are less than half as long as its longest."""
    query_lengths, key_lengths = queries.offsets.diff(), keys.offsets.diff()
    longer = torch.maximum(query_lengths, key_lengths)
    order = longer.argsort(descending=True, stable=True)
    order = order[longer[order] > 0]
    query_sides, key_sides, groups = [], [], []
    for members in _halves(order, longer):
        company = max(1, small // int(longer[members[0]]))
        query = _laid_out(queries.offsets[members], query_lengths[members], company)
        key = _laid_out(keys.offsets[members], key_lengths[members], company)
        seen = _seen(query, key, causal, window).unsqueeze(1)
        hidden = torch.zeros(seen.shape).masked_fill_(~seen, torch.finfo(torch.float32).min)
        groups.append(Group(query.slots, key.slots, hidden, seen.any(-1, keepdim=True).float()))
        query_sides.append(query)
        key_sides.append(key)
    return SentenceGroups(tuple(groups), _way_back(query_sides, queries), _way_back(key_sides, keys))


def _halves(order: Int[Tensor, " sentences"], longer: Int[Tensor, " all"]) -> Iterator[Int[Tensor, " members"]]:
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


def _laid_out(starts: Int[Tensor, " members"], lengths: Int[Tensor, " members"], company: int) -> _Side:
    """The slots of these sentences, `company` of them to a row.

    Positions of neighbours in a row are so far apart that they also say who belongs to which sentence.
    """
    missing = -len(starts) % company
    starts, lengths = (functional.pad(side, (0, missing)) for side in (starts, lengths))
    columns = torch.arange(int(lengths.max()))
    real = columns < lengths.unsqueeze(1)
    slots = (starts.unsqueeze(1) + columns).where(real, 0)
    positions = torch.arange(len(starts)).remainder(company).unsqueeze(1) * _APART + columns
    rows = len(starts) // company
    return _Side(slots.view(rows, -1), positions.view(rows, -1), real.view(rows, -1))


def _seen(queries: _Side, keys: _Side, causal: bool, window: int | None) -> Bool[Tensor, "rows query key"]:
    distance = queries.positions.unsqueeze(2) - keys.positions.unsqueeze(1)
    seen = (distance.abs() < _APART // 2) & queries.real.unsqueeze(2) & keys.real.unsqueeze(1)
    if causal:
        seen &= distance >= 0
    if window is not None:
        seen &= distance.abs() <= window
    return seen


def _way_back(sides: list[_Side], packing: Packing) -> SlotIndex:
    row, column, length = (torch.zeros(packing.sentence.shape[1], dtype=torch.int64) for _ in range(3))
    before = 0
    for side in sides:
        slots, (rows, width) = side.slots[side.real], side.slots.shape
        row[slots] = (before + torch.arange(rows) * width).unsqueeze(1).expand(rows, width)[side.real]
        column[slots] = torch.arange(width).expand(rows, width)[side.real]
        length[slots] = width
        before += rows * width
    return SlotIndex(row, column, length, int(packing.offsets[-1]))
