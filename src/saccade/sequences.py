"""Padded token matrices that know their lengths: what flows between data, models and search.

A model never sees a padding bug because nobody passes a bare matrix: the lengths travel along, and the mask is
derived from them in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

PAD, EOS, UNK, BOS = 0, 1, 2, 3

AnyRows = TypeVar("AnyRows", bound="Rows")


@dataclass(frozen=True)
class Rows:
    """Anything whose tensors all have the batch as their first axis.

    Search reorders hypotheses by selecting rows, and knows nothing else about what a model carries: this is the one
    place where that selection is written.
    """

    def select(self: AnyRows, rows: Int[Tensor, " rows"]) -> AnyRows:
        """The same thing with only these rows, in this order; a row may be taken several times."""
        return self._map(lambda tensor: tensor.index_select(0, rows))

    def to(self: AnyRows, device: torch.device | str) -> AnyRows:
        """The same thing on another device."""
        return self._map(lambda tensor: tensor.to(device, non_blocking=True))

    def _map(self: AnyRows, change: Any) -> AnyRows:
        return replace(self, **{field.name: _map_value(getattr(self, field.name), change) for field in fields(self)})


def _map_value(value: Any, change: Any) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, Rows):
        return value._map(change)
    if isinstance(value, tuple):
        return tuple(_map_value(item, change) for item in value)
    return value


@dataclass(frozen=True)
class Sequences(Rows):
    """Token ids, padded on the right, with the number of real tokens in each row."""

    tokens: Int[Tensor, "batch length"]
    lengths: Int[Tensor, " batch"]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], device: torch.device | str | None = None) -> "Sequences":
        """Pads rows of unequal length into one matrix."""
        lengths = [len(row) for row in rows]
        width = max(lengths, default=0)
        padded = [[*row, *[PAD] * (width - len(row))] for row in rows]
        tokens = torch.tensor(padded, dtype=torch.int64, device=device).view(len(rows), width)
        return cls(tokens, torch.tensor(lengths, dtype=torch.int64, device=device))

    def __len__(self) -> int:
        """The number of sequences."""
        return self.tokens.shape[0]

    @property
    def mask(self) -> Bool[Tensor, "batch length"]:
        """True where there is a token, False on padding."""
        positions = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        return positions < self.lengths.unsqueeze(1)

    @property
    def reads(self) -> Int[Tensor, "batch length"]:
        """What a decoder reads while it writes these tokens: the same, one position to the right, after BOS.

        Rows that end before the longest read their own EOS as their first padding position; the loss and every
        later reader look at `mask`, and causality keeps it from the real positions.
        """
        return torch.cat([torch.full_like(self.tokens[:, :1], BOS), self.tokens[:, :-1]], dim=1)

    @property
    def total(self) -> int:
        """How many real tokens there are."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Pairs(Rows):
    """Sources and the targets that belong to them; both end with EOS, and neither begins with BOS."""

    source: Sequences
    target: Sequences
