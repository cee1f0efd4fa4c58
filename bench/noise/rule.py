"""Verdicts about differences between seeds, by the rule of this experiment (`bench/noise/__init__.py`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

ALLOWED_COST = 1.0
"""BLEU on clean text."""
STANDARD_ERRORS = 3


@dataclass(frozen=True)
class Difference:
    """The mean of "with" minus "without" over seeds, and its standard error."""

    mean: float
    standard_error: float

    @classmethod
    def of(cls, with_noise: Sequence[float], without: Sequence[float]) -> "Difference":
        """Seed by seed; one seed alone says nothing about its error."""
        differences = [one - other for one, other in zip(with_noise, without, strict=True)]
        error = stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else float("inf")
        return cls(mean(differences), error)

    @property
    def low(self) -> float:
        """Three standard errors below the mean."""
        return self.mean - STANDARD_ERRORS * self.standard_error

    @property
    def high(self) -> float:
        """Three standard errors above it."""
        return self.mean + STANDARD_ERRORS * self.standard_error


def verdict(name: str, difference: Difference) -> str:
    """In a word or two; clean text has a rule of its own."""
    if difference.high < 0:
        return "costs" if name == "clean" else "harms"
    if name == "clean":
        return "costs nothing" if difference.low > -ALLOWED_COST else "undecided"
    return "helps" if difference.low > 0 else "undecided"
