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

from saccade.sequences import Packing

# Intel's library multiplies many small matrices well. Elsewhere torch calls the product for each one, and one of this
# size is worth a call.
SMALL = 1 if torch.backends.mkl.is_available() else 64


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
class Grouping:
    """All sentences of a packed row in groups, and the way back.

    `query_places` and `key_places` say for each slot where it stands in all groups one after another; a slot that
    holds no token is sent to place 0, and `query_slots` and `key_slots` say how many at the front do hold one.
    """

    groups: tuple[Group, ...]
    query_places: Int[Tensor, " query_slots"]
    key_places: Int[Tensor, " key_slots"]
    query_slots: int
    key_slots: int


def grouped(queries: Packing, keys: Packing, causal: bool, window: int | None, small: int = SMALL) -> Grouping:
    """Deals out sentences, longest first; a group ends where sentences are less than half as long as its longest."""
    starts = [(packing.offsets[:-1], packing.offsets.diff()) for packing in (queries, keys)]
    (query_starts, query_lengths), (key_starts, key_lengths) = starts
    longer = torch.maximum(query_lengths, key_lengths)
    order = longer.argsort(descending=True, stable=True)
    order = order[longer[order] > 0]

    groups = []
    places = [torch.zeros(packing.sentence.shape[1], dtype=torch.int64) for packing in (queries, keys)]
    before = [0, 0]
    for members in _halves(order, longer):
        company = max(1, small // int(longer[members[0]]))
        sides = [
            _laid_out(begin[members], length[members], company)
            for begin, length in ((query_starts, query_lengths), (key_starts, key_lengths))
        ]
        for side, (slots, _, real) in enumerate(sides):
            places[side][slots[real]] = before[side] + real.flatten().nonzero().squeeze(1)
            before[side] += slots.numel()
        (query_index, query_at, query_real), (key_index, key_at, key_real) = sides
        seen = _seen(query_at, key_at, query_real, key_real, causal, window).unsqueeze(1)
        hidden = torch.zeros(seen.shape).masked_fill_(~seen, torch.finfo(torch.float32).min)
        groups.append(Group(query_index, key_index, hidden, seen.any(-1, keepdim=True).float()))
    slots = [int(packing.offsets[-1]) for packing in (queries, keys)]
    return Grouping(tuple(groups), *places, *slots)


def _halves(order: Int[Tensor, " sentences"], longer: Int[Tensor, " all"]) -> Iterator[Int[Tensor, " members"]]:
    lengths = longer[order]
    start = 0
    while start < len(order):
        end = start + int((2 * lengths[start:] >= lengths[start]).sum())
        yield order[start:end]
        start = end


def _laid_out(
    starts: Int[Tensor, " members"], lengths: Int[Tensor, " members"], company: int
) -> tuple[Int[Tensor, "rows width"], Int[Tensor, "rows width"], Bool[Tensor, "rows width"]]:
    """The slots of these sentences, `company` of them to a row; their positions; and which of them are real.

    A position counts from the sentence's place in its row times a number no sentence is long, so that it also tells
    neighbours in a row apart.
    """
    missing = -len(starts) % company
    starts, lengths = (torch.nn.functional.pad(side, (0, missing)) for side in (starts, lengths))
    columns = torch.arange(int(lengths.max()))
    real = columns < lengths.unsqueeze(1)
    slots = (starts.unsqueeze(1) + columns).where(real, 0)
    apart = torch.arange(len(starts)).remainder(company).unsqueeze(1) * _APART + columns
    rows = len(starts) // company
    return slots.view(rows, -1), apart.view(rows, -1), real.view(rows, -1)


_APART = 2**32


def _seen(
    queries: Int[Tensor, "rows query"],
    keys: Int[Tensor, "rows key"],
    query_real: Bool[Tensor, "rows query"],
    key_real: Bool[Tensor, "rows key"],
    causal: bool,
    window: int | None,
) -> Bool[Tensor, "rows query key"]:
    distance = queries.unsqueeze(2) - keys.unsqueeze(1)
    seen = (distance.abs() < _APART // 2) & query_real.unsqueeze(2) & key_real.unsqueeze(1)
    if causal:
        seen &= distance >= 0
    if window is not None:
        seen &= distance.abs() <= window
    return seen
