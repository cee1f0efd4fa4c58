"""Outputs that are too long or too short for their source, by what translations of a language are.

The length of a text is its letters, where a character of Chinese or Japanese counts as three (`data/pair_filters.py`).
A translation of n letters of source has between `shortest` n - slack and `longest` n + slack of them. The bounds are
learned from held-out pairs (`saccade calibrate`), so wide that they hold for all but one in a thousand; a model without
them has wide ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from saccade.data.pair_filters import length
from saccade.quality.faults import Fault

SLACK = 12
"""Letters by which any output may be longer or shorter: about two words."""
RARE = 0.001
"""The share of good translations that is outside the bounds, on either side."""
_FEWEST = 200
"""Pairs from which bounds can be learned."""


@dataclass(frozen=True)
class LengthBounds:
    """How long outputs are, as a share of their sources."""

    shortest: float = 0.4
    longest: float = 2.5

    @classmethod
    def learned(cls, pairs: Iterable[tuple[str, str]]) -> "LengthBounds":
        """The bounds of these sources and references, but never wider than without any."""
        wide = cls()
        sizes = [(length(source), length(target)) for source, target in pairs]
        sizes = [(source, target) for source, target in sizes if source and target]
        if len(sizes) < _FEWEST:
            return wide
        lowest = sorted((target + SLACK) / source for source, target in sizes)
        highest = sorted((target - SLACK) / source for source, target in sizes)
        outside = int(RARE * len(sizes))
        return cls(
            shortest=max(wide.shortest, min(lowest[outside], 1.0)),
            longest=min(wide.longest, max(highest[-1 - outside], 1.0)),
        )

    def __call__(self, source: str, output: str) -> list[Fault]:
        """Whether an output is outside the bounds, and how long it is for its source."""
        there, here = length(source), length(output)
        if not there:
            return []
        share = f"{here / there:.2f} of the source's length"
        if here < self.shortest * there - SLACK or not here:
            return [Fault("too_short", share)]
        if here > self.longest * there + SLACK:
            return [Fault("too_long", share)]
        return []
