"""Medians with quartiles, and ratios of measurements that belong together."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Quartiles:
    """The median of some values, and their lower and upper quartile."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Quartiles":
        """Of at least one value."""
        values = list(values)
        if len(values) == 1:
            return cls(values[0], values[0], values[0])
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, low, high)


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> Quartiles:
    """Quartiles of the ratios of values measured side by side: what slowed the machine for both cancels."""
    return Quartiles.of(one / other for one, other in zip(numerators, denominators, strict=True))
