"""A score that can be compared: its name, its confidence interval and a signature of every choice behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from saccade import __version__
from saccade.errors import InputError
from saccade.evaluation.bootstrap import SEED, ConfidenceInterval, bootstrap_interval


@dataclass(frozen=True)
class MetricOptions:
    """The language of the outputs, and how many bootstrap resamples to draw (fewer than two: no interval)."""

    language: str | None = None
    resamples: int = 0

    @property
    def bootstrap_signature(self) -> str:
        """The part of a signature that names the bootstrap; empty where there is none."""
        return f"|bs:{self.resamples}|seed:{SEED}" if self.resamples > 1 else ""


@dataclass(frozen=True)
class MetricScore:
    """The value of one metric on a set of examples; `signature` names every choice that changes it."""

    metric: str
    label: str
    value: float
    higher_is_better: bool
    examples: int
    signature: str
    interval: ConfidenceInterval | None = None

    @property
    def merit(self) -> float:
        """The value, negated where lower is better; early stopping and the best checkpoint maximise it."""
        return self.value if self.higher_is_better else -self.value


def ratio_score(
    name: str,
    label: str,
    counts: Sequence[tuple[int, int]],
    options: MetricOptions,
    *,
    rule: str,
    higher_is_better: bool,
) -> MetricScore:
    """Summed numerators over summed denominators, in percent; `rule` goes into the signature."""
    statistics = np.array(counts, dtype=np.float64)
    totals = statistics.sum(axis=0)
    if totals[1] == 0:
        raise InputError("the references must contain text, but are all empty. Check the reference file.")
    return MetricScore(
        name,
        label,
        percentage(totals),
        higher_is_better,
        len(counts),
        f"{rule}{options.bootstrap_signature}|saccade:{__version__}",
        bootstrap_interval(statistics, percentage, options.resamples),
    )


def percentage(counts: Float[np.ndarray, " quantities"]) -> float:
    """100 x the first count / the second."""
    return float(100 * counts[0] / counts[1]) if counts[1] else 0.0
