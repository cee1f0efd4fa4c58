"""A number that can be compared: with its name, its interval, and everything that was decided to obtain it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """Where the score would lie in 95 of 100 test sets drawn like this one."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class Conditions:
    """What a metric is told beside the examples: the language of the outputs, and how many resamples to draw.

    Fewer than two resamples: no interval.
    """

    language: str | None = None
    resamples: int = 0


@dataclass(frozen=True)
class Score:
    """One score, in percent; `signature` names every choice that changes it."""

    metric: str
    label: str
    value: float
    higher_is_better: bool
    examples: int
    signature: str
    interval: Interval | None = None

    @property
    def merit(self) -> float:
        """The same number turned so that more is better: what early stopping and the best checkpoint go by."""
        return self.value if self.higher_is_better else -self.value
