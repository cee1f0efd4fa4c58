"""How much of a score is the luck of the test set: bootstrap resampling (Koehn 2004)."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from saccade.evaluation.score import Interval

SEED = 12345  # sacrebleu's, so that every interval of a report is drawn with one seed
RESAMPLES = 1000


def bootstrap_interval(
    statistics: Float[np.ndarray, "examples quantities"],
    combine: Callable[[Float[np.ndarray, " quantities"]], float],
    resamples: int,
) -> Interval | None:
    """The middle 95 % of the scores of test sets drawn from this one, with replacement and of its size.

    A corpus score is `combine` of the summed quantities of its examples, so a resample need not score anything again:
    it counts how often each example was drawn. Fewer than two resamples give no interval.
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
    return Interval(float(low), float(high))
