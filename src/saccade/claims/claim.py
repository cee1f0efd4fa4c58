"""What a claim is: a sentence, an experiment, a rule written before the experiment, and a verdict.

    measure(generator, progress) -> Findings     the experiment once, for one seed
    judge(measured) -> Judgement                 the rule, applied to the findings of all seeds
    plot(figure, measured)                       a picture of the findings

The verdict is about the sentence as it is usually worded. If the experiment shows that it is wrong, the verdict is
"does not hold", and the claim is reported like any other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Any, Literal, cast

from torch import Generator

Value = float | list[float] | list[list[float]]

Findings = dict[str, Value]
"""The results of one seed by name: numbers, curves or matrices."""

Progress = Callable[[float], None]
"""Called with the share of the experiment that is done."""

Figure = Any
"""Matplotlib's figure; the library itself is imported only where plots are drawn."""


class Verdict(StrEnum):
    """What the experiment says about the claim as it is worded."""

    HOLDS = "holds"
    CAVEAT = "holds with a caveat"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judgement:
    """A verdict, and the measured figures it rests on, in a sentence."""

    verdict: Verdict
    because: str


@dataclass(frozen=True)
class Measured:
    """The findings of every seed."""

    seeds: Sequence[int]
    findings: Sequence[Mapping[str, Value]]

    def each(self, name: str) -> list[float]:
        """A number, for each seed."""
        return [cast(float, found[name]) for found in self.findings]

    def mean(self, name: str) -> float:
        """A number, averaged over the seeds."""
        return fmean(self.each(name))

    def curves(self, name: str) -> list[list[float]]:
        """A curve, for each seed."""
        return [cast(list[float], found[name]) for found in self.findings]

    def curve(self, name: str) -> list[float]:
        """A curve, averaged over the seeds point by point."""
        return [fmean(points) for points in zip(*self.curves(name), strict=True)]

    def matrix(self, name: str) -> list[list[float]]:
        """A matrix, as the first seed gave it: an average of pictures is no picture."""
        return cast(list[list[float]], self.findings[0][name])

    def smallest(self, name: str) -> float:
        """The smallest number of that name, whatever the seed and wherever in a curve or matrix."""
        return min(number for found in self.findings for number in _numbers(found[name]))

    def largest(self, name: str) -> float:
        """The largest number of that name, whatever the seed and wherever in a curve or matrix."""
        return max(number for found in self.findings for number in _numbers(found[name]))


def _numbers(value: Value) -> list[float]:
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [value]


def listed(numbers: Iterable[float], digits: int = 3) -> str:
    """Numbers as they stand in a sentence."""
    return ", ".join(f"{number:.{digits}f}" for number in numbers)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A checkable sentence about sequence models."""

    id: str
    """A letter for the chapter and a number: R1, C3, A14, T2, H3, W5."""
    also: str = ""
    """Another id, of another chapter, that asks the same and leads here."""
    title: str
    """What it is about, in a few words."""
    said: str
    """Where it comes from."""
    claim: str
    """The sentence itself."""
    expected: Verdict
    """What was expected before anything was measured."""
    rule: str
    """When it holds, when only with a caveat; decided before the experiment was run."""
    changed: str = ""
    """What was changed in rule or experiment after a first look, and what had come out before; empty if nothing was."""
    cost: Literal["instant", "seconds", "minutes", "GPU"]
    """How long all seeds take on one core; "GPU" where one core would take hours."""
    seeds: int
    """How many times the experiment is repeated with other random numbers; 1 where nothing is random."""
    measure: Callable[[Generator, Progress], Findings]
    judge: Callable[[Measured], Judgement]
    plot: Callable[[Figure, Measured], None]

    @property
    def chapter(self) -> str:
        """The part of the story it belongs to."""
        return CHAPTERS[self.id[0]]


CHAPTERS = {
    "R": "Recurrence",
    "C": "Convolution",
    "A": "Attention",
    "T": "The Transformer",
    "H": "History",
    "W": "Worked examples",
}
