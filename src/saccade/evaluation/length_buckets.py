"""Ranges of source lengths, to show where a model that is good on average is weak."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

MOST_BUCKETS = 8  # apart from the open one
FEWEST_EXAMPLES = 10  # a score on fewer means little


@dataclass(frozen=True)
class Bucket:
    """Sources of length `shortest` to `longest`, both included, and their line numbers; None means no upper bound."""

    shortest: int
    longest: int | None
    lines: tuple[int, ...]

    @property
    def label(self) -> str:
        """The name of the range in a table."""
        if self.longest is None:
            return f"{self.shortest}+"
        return str(self.shortest) if self.shortest == self.longest else f"{self.shortest}-{self.longest}"


def length_in_words(text: str) -> int:
    """The number of words separated by white space."""
    return len(text.split())


def length_in_characters(text: str) -> int:
    """The number of characters, without white space."""
    return len("".join(text.split()))


def length_buckets(sources: Sequence[str], length: Callable[[str], int]) -> list[Bucket]:
    """Divides the sources into a few ranges of equal width and an open one for the longest.

    The width is the smallest of 1, 2, 5, 10, 20, 50, ... with which the closed ranges cover the 95th percentile of
    the lengths. A range with too few sources to score is merged into the one before it or, if it is the first, into
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
        # An empty source has length 0 and is in the first range.
        shortest = min(int(lengths.min()), 1) if first == 0 else first * width + 1
        longest = None if last == ranges[-1][1] else (last + 1) * width
        buckets.append(Bucket(shortest, longest, tuple(lines.tolist())))
    return buckets
