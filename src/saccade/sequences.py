"""Batches of token sequences: what data, models and search hand to each other.

A matrix of tokens never travels without the places of its sentences, from which masks are derived in one place. There
are two layouts. `Sequences` gives each its own row, padded on the right. `Packed` puts them one after another in a
single row, so that next to nothing is padding and every batch has the same shape.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from saccade.special_tokens import BOS, PAD

AnyTensorRows = TypeVar("AnyTensorRows", bound="TensorRows")


@dataclass(frozen=True)
class TensorRows:
    """Anything whose tensors all have the batch as their first axis.

    Search reorders hypotheses by selecting rows, and knows nothing else about what a model carries: this is the one
    place where that selection is written.
    """

    def select(self: AnyTensorRows, rows: Int[Tensor, " rows"]) -> AnyTensorRows:
        """The same thing with only these rows, in this order; a row may be taken several times."""
        return self._map(lambda tensor: tensor.index_select(0, rows))

    def to(self: AnyTensorRows, device: torch.device | str) -> AnyTensorRows:
        """The same thing on another device."""
        return self._map(lambda tensor: tensor.to(device, non_blocking=True))

    def pinned(self: AnyTensorRows) -> AnyTensorRows:
        """The same thing in pinned memory, from which a GPU copies asynchronously."""
        return self._map(lambda tensor: tensor.pin_memory())

    def tensors(self) -> Iterator[Tensor]:
        """All its tensors, always in the same order."""
        for field in fields(self):
            yield from _tensors_of(getattr(self, field.name))

    def _map(self: AnyTensorRows, change: Any) -> AnyTensorRows:
        return replace(self, **{field.name: _map_value(getattr(self, field.name), change) for field in fields(self)})


def _map_value(value: Any, change: Any) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, TensorRows):
        return value._map(change)
    if isinstance(value, tuple):
        return tuple(_map_value(item, change) for item in value)
    return value


def _tensors_of(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, TensorRows):
        yield from value.tensors()
    elif isinstance(value, tuple):
        for item in value:
            yield from _tensors_of(item)


@dataclass(frozen=True)
class Sequences(TensorRows):
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
    def positions(self) -> Int[Tensor, "1 length"]:
        """The place of each token in its own sentence: in a padded row, the column."""
        return torch.arange(self.tokens.shape[1], device=self.tokens.device).unsqueeze(0)

    @property
    def packing(self) -> None:
        """Every sentence has a row of its own."""

    @property
    def reads(self) -> "Sequences":
        """What a decoder reads while it writes these tokens: the same, one position to the right, after BOS.

        Rows that end before the longest read their own EOS as their first padding position; the loss and every
        later reader look at `mask`, and causality keeps it from the real positions.
        """
        shifted = torch.cat([torch.full_like(self.tokens[:, :1], BOS), self.tokens[:, :-1]], dim=1)
        return Sequences(shifted, self.lengths)

    @property
    def total(self) -> int:
        """How many real tokens there are."""
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Packing(TensorRows):
    """Where the sentences of a single row begin: sentence i is at offsets[i] up to offsets[i + 1].

    The number of offsets is the same for every batch of a run; places for sentences that are not there have length
    zero, at the end. `sentence` says of each slot which one it belongs to, -1 where the slot is empty.
    """

    offsets: Int[Tensor, " one_more_than_sentences"]
    sentence: Int[Tensor, "1 slots"]


@dataclass(frozen=True)
class Packed(TensorRows):
    """Sentences one after another in one row, each ended by EOS; empty slots at the end hold PAD."""

    tokens: Int[Tensor, "1 slots"]
    positions: Int[Tensor, "1 slots"]
    """The place of each token in its own sentence."""
    packing: Packing

    @property
    def lengths(self) -> Int[Tensor, " sentences"]:
        """The number of real tokens of each sentence; zero for one that is not there."""
        return self.packing.offsets.diff()

    @property
    def mask(self) -> Bool[Tensor, "1 slots"]:
        """True where there is a token, False on empty slots."""
        return self.packing.sentence >= 0

    @property
    def reads(self) -> "Packed":
        """What a decoder reads while it writes these tokens: each sentence one slot to the right, after its BOS."""
        before = torch.cat([torch.full_like(self.tokens[:, :1], BOS), self.tokens[:, :-1]], dim=1)
        return replace(self, tokens=before.masked_fill(self.positions == 0, BOS))

    @property
    def total(self) -> int:
        """How many real tokens there are."""
        return int(self.packing.offsets[-1])


@dataclass(frozen=True)
class Pairs(TensorRows):
    """Sources and the targets that belong to them; both end with EOS, and neither begins with BOS."""

    source: Sequences | Packed
    target: Sequences | Packed
