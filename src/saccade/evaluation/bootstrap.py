"""Confidence intervals by bootstrap resampling: Koehn 2004, "Statistical Significance Tests for MT Evaluation"."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

SEED = 12345  # sacrebleu's default, so that all intervals of a report use one seed
RESAMPLES = 1000


@dataclass(frozen=True)
class ConfidenceInterval:
    """The 95 % confidence interval of a score."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.2f}, {self.high:.2f}]"


def bootstrap_interval(
    statistics: Float[np.ndarray, "examples quantities"],
    combine: Callable[[Float[np.ndarray, " quantities"]], float],
    resamples: int,
) -> ConfidenceInterval | None:
    """The 2.5 and 97.5 percentiles of the scores of test sets of the same size, drawn from this one with replacement.

    A corpus score is `combine` of the summed quantities of its examples. A resample therefore scores nothing again:
    it only counts how often each example was drawn. Fewer than two resamples give no interval.
    """
    if resamples < 2:
        return None
    examples = len(statistics)
    randomness = np.random.Generator(np.random.PCG64(SEED))
    scores = np.empty(resamples)
    for resample in range(resamples):
        times_drawn = np.bincount(randomness.integers(examples, size=examples), minlength=examples)
        scores[resample] = combine(times_drawn @ statistics)
    low, high = np.percentile(scores, [2.5, 97.5])
    return ConfidenceInterval(float(low), float(high))
