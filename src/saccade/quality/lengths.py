"""Outputs that are too long or too short for their source, by what translations of a language are.

The length of a text is its letters, where a character of Chinese or Japanese counts as three (`data/pair_filters.py`).
A translation of n letters of source has between `shortest` n - slack and `longest` n + slack of them. The bounds are
learned from held-out pairs, so wide that they hold for all but one in a thousand; a model without them has wide ones.

Short pairs say nothing about the share: two words more or less are half of them, and slack allows for that. So bounds
come from longer pairs. These are seldom thousands, so the share is taken to be log-normal, and the bounds are at 3.5
standard deviations, or where the data go further, there.
"""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from saccade.data.pair_filters import length
from saccade.quality.faults import Fault

SLACK = 12
"""Letters by which any output may be longer or shorter: about two words."""
RARE = 0.001
"""The share of good translations that is outside the bounds, on either side."""
FEWEST = 200
"""Pairs from which bounds can be learned."""
SHORTEST_SOURCE = 2 * SLACK
"""Letters of a source that is learned from."""
_DEVIATIONS = 3.5
_NARROWEST = 1.25
"""How far from the mean share the bounds are at least: another text is translated in another way."""


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
        shares = sorted(math.log(target / source) for source, target in sizes if source >= SHORTEST_SOURCE and target)
        if len(shares) < FEWEST:
            return wide
        mean = statistics.fmean(shares)
        distance = max(_DEVIATIONS * statistics.stdev(shares), math.log(_NARROWEST))
        outside = int(RARE * len(shares))
        return cls(
            shortest=max(wide.shortest, math.exp(min(shares[outside], mean - distance))),
            longest=min(wide.longest, math.exp(max(shares[-1 - outside], mean + distance))),
        )

    def __call__(self, source: str, output: str) -> list[Fault]:
        """Whether an output is outside the bounds, and how long it is for its source."""
        there, here = length(source), length(output)
        too_short = here < self.shortest * there - SLACK or not here
        if not there or not (too_short or here > self.longest * there + SLACK):
            return []
        return [Fault("too_short" if too_short else "too_long", f"{here / there:.2f} of the source's length")]
