"""Scores that are a ratio of two counts over the examples."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from saccade import __version__
from saccade.errors import InputError
from saccade.evaluation.bootstrap import SEED, bootstrap_interval
from saccade.evaluation.score import Score


def percentage(counts: Float[np.ndarray, " quantities"]) -> float:
    """100 x the first count / the second."""
    return float(100 * counts[0] / counts[1]) if counts[1] else 0.0


def rate(
    name: str, label: str, counts: Sequence[tuple[int, int]], *, rule: str, higher_is_better: bool, resamples: int
) -> Score:
    """Summed numerators over summed denominators, in percent; `rule` goes into the signature."""
    statistics = np.array(counts, dtype=np.float64)
    totals = statistics.sum(axis=0)
    if totals[1] == 0:
        raise InputError("the references must hold something to be matched, but are all empty. Check the reference.")
    resampling = f"|bs:{resamples}|seed:{SEED}" if resamples > 1 else ""
    return Score(
        name,
        label,
        percentage(totals),
        higher_is_better,
        len(counts),
        f"{rule}{resampling}|saccade:{__version__}",
        bootstrap_interval(statistics, percentage, resamples),
    )
