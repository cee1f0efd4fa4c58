"""Sequences of tokens of different lengths as two arrays, so that work on millions of them is work on arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Bool, Int64, UInt32


@dataclass(frozen=True, eq=False)
class Ragged:
    """All ids one after another: row i has those from offset i to offset i + 1."""

    ids: UInt32[np.ndarray, " tokens"]
    offsets: Int64[np.ndarray, " bounds"]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Ragged":
        """The same rows, given as lists."""
        offsets = bounds(np.fromiter(map(len, rows), np.int64, len(rows)))
        return cls(np.fromiter(chain.from_iterable(rows), np.uint32, int(offsets[-1])), offsets)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[int]]:
        """Each row as a list of integers."""
        ids, offsets = self.ids.tolist(), self.offsets.tolist()
        return (ids[start:end] for start, end in zip(offsets[:-1], offsets[1:], strict=True))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ragged)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.ids, other.ids)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    @property
    def lengths(self) -> Int64[np.ndarray, " rows"]:
        """The number of tokens of each row."""
        return np.diff(self.offsets)

    def select(self, kept: Bool[np.ndarray, " rows"]) -> "Ragged":
        """The rows for which `kept` is true."""
        if kept.all():
            return self
        lengths = self.lengths
        return Ragged(self.ids[np.repeat(kept, lengths)], bounds(lengths[kept]))

    def take(self, rows: Int64[np.ndarray, " rows"]) -> "Ragged":
        """The rows of these numbers, in their order, as often as they are named."""
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        ends = bounds(lengths)
        # A row that begins at token b of the result and at place s here: its token t is at place s + t - b.
        places = np.repeat(starts - ends[:-1], lengths)
        places += np.arange(len(places))
        return Ragged(self.ids[places], ends)


def bounds(lengths: Int64[np.ndarray, " parts"]) -> Int64[np.ndarray, " bounds"]:
    """Where parts of these lengths begin and end when they stand one after another: one bound more than parts."""
    result = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=result[1:])
    return result
