"""Scores by length of the source: where a model that is good on average is not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

MOST_BUCKETS = 8  # apart from the open one
FEWEST_EXAMPLES = 10  # a score of fewer says nothing


@dataclass(frozen=True)
class Bucket:
    """Sources from `shortest` to `longest`, both included, and the lines they stand on; no `longest`: no end."""

    shortest: int
    longest: int | None
    lines: tuple[int, ...]

    @property
    def label(self) -> str:
        """How a table names it."""
        if self.longest is None:
            return f"{self.shortest}+"
        return str(self.shortest) if self.shortest == self.longest else f"{self.shortest}-{self.longest}"


def length_in_words(text: str) -> int:
    """How many words there are between spaces."""
    return len(text.split())


def length_in_characters(text: str) -> int:
    """How many characters there are, spaces apart."""
    return len("".join(text.split()))


def length_buckets(sources: Sequence[str], length: Callable[[str], int]) -> list[Bucket]:
    """Cuts the sources into a few ranges of equal width and an open one for the longest.

    The width is the smallest of 1, 2, 5, 10, 20, 50, ... with which the closed ranges reach the length that 95 % of
    the sources do not exceed. A range with too few sources to score joins the one before it, or, if it is the first,
    the one after it.
    """
    lengths = np.array([length(source) for source in sources])
    reach = max(int(np.percentile(lengths, 95)), 1)
    width = next(
        step * 10**power for power in count() for step in (1, 2, 5) if step * 10**power * MOST_BUCKETS >= reach
    )
    indices = np.minimum(np.maximum(lengths - 1, 0) // width, (reach - 1) // width + 1)
    ranges: list[list[int]] = []  # [first index, last index] of the ranges that are large enough
    counts: list[int] = []
    for index in range(int(indices.max()) + 1):
        here = int((indices == index).sum())
        if ranges and (here < FEWEST_EXAMPLES or counts[-1] < FEWEST_EXAMPLES):
            ranges[-1][1] = index
            counts[-1] += here
        else:
            ranges.append([index, index])
            counts.append(here)
    buckets = []
    for first, last in ranges:
        lines = np.flatnonzero((indices >= first) & (indices <= last))
        # An empty source has length 0 and belongs to the shortest.
        shortest = min(int(lengths.min()), 1) if first == 0 else first * width + 1
        longest = None if last == ranges[-1][1] else (last + 1) * width
        buckets.append(Bucket(shortest, longest, tuple(lines.tolist())))
    return buckets
