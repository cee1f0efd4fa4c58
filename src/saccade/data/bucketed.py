"""Padded batches of few shapes: a GPU captures a step into one CUDA graph for each, and replays it from then on.

Lengths are rounded up to 4, 8, 12, 16, 20, 24, 32, 40, 48, 64 ..., and each shape has as many rows as `tokens` allows
at its longer side. What is missing in a batch is filled with rows that count for nothing: one source token, no target.
"""

from typing import ClassVar

import numpy as np
from torch.nn import functional

from saccade.data.batches import Batches, Indices, Layout, Padding, collate, cut_into_batches, lengths_of
from saccade.data.token_store import TokenStore
from saccade.sequences import Pairs, Sequences

_SHORTEST = 16
"""Up to here lengths are multiples of a quarter of it; beyond, 1, 5/4 and 3/2 times a power of two."""


class BucketedBatches(Batches):
    """Training batches of at most `tokens` positions a side, whose shapes are few."""

    layout: ClassVar[Layout] = "bucketed"

    def collate(self, store: TokenStore, rows: Indices) -> Pairs:
        """These pairs as matrices of one of the shapes."""
        pairs = collate(store, rows)
        assert isinstance(pairs.source, Sequences)
        assert isinstance(pairs.target, Sequences)
        source, target = (int(bucket(np.array(side.tokens.shape[1]))) for side in (pairs.source, pairs.target))
        most = max(1, self.tokens // max(source, target))
        return Pairs(_filled(pairs.source, most, source, 1), _filled(pairs.target, most, target, 0))

    def _cut_epoch(self, which: int, generator: np.random.Generator) -> list[Indices]:
        source, target = (bucket(lengths) for lengths in lengths_of(self.stores[which]))
        return cut_into_batches(source, target, self.tokens, self._strips_of(which, source, target), generator)

    @property
    def padding_by_side(self) -> Padding:
        """How much of the first epoch's matrices is padding."""
        lengths = lengths_of(self.stores[0])
        rounded = [bucket(side) for side in lengths]
        positions = np.zeros(2, np.int64)
        for rows in self.plan(0):
            shape = np.array([side[rows].max() for side in rounded])
            positions += shape * max(1, self.tokens // int(shape.max()))
        shares = [1 - float(side.sum() / count) for side, count in zip(lengths, positions, strict=True)]
        return Padding(*shares)


def bucket(lengths: Indices) -> Indices:
    """The lengths that these are padded to."""
    quarter = _SHORTEST // 4
    power = 2 ** np.floor(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    beyond = np.select(
        [lengths <= power, 4 * lengths <= 5 * power, 2 * lengths <= 3 * power],
        [power, 5 * power // 4, 3 * power // 2],
        2 * power,
    )
    rounded: Indices = np.where(lengths <= _SHORTEST, -(-lengths // quarter) * quarter, beyond)
    return rounded


def _filled(side: Sequences, rows: int, length: int, missing: int) -> Sequences:
    """The same with so many rows of that length; a row that was missing has `missing` tokens."""
    more = max(0, rows - len(side))
    tokens = functional.pad(side.tokens, (0, length - side.tokens.shape[1], 0, more))
    return Sequences(tokens, functional.pad(side.lengths, (0, more), value=missing))
