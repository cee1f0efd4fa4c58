"""Least-squares lines, power laws and rank correlations of measured points."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

Numbers = Sequence[int] | Sequence[float]


class Line(NamedTuple):
    """y = intercept + slope x by least squares; `explained` is R^2, the share of the variance of y it explains."""

    slope: float
    intercept: float
    explained: float


def line(x: Numbers, y: Numbers) -> Line:
    """The line through the points with the smallest squared error."""
    middle_x, middle_y = fmean(x), fmean(y)
    slope = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / sum(
        (a - middle_x) ** 2 for a in x
    )
    intercept = middle_y - slope * middle_x
    total = sum((b - middle_y) ** 2 for b in y)
    left = sum((b - intercept - slope * a) ** 2 for a, b in zip(x, y, strict=True))
    return Line(slope, intercept, 1 - left / total if total else 1.0)


def exponent(x: Numbers, y: Numbers) -> float:
    """The p of y = c x^p: the slope of the line through the logarithms."""
    return line([math.log(a) for a in x], [math.log(b) for b in y]).slope


def rank_correlation(x: Numbers, y: Numbers) -> float:
    """Spearman's rho: the correlation of ranks, equal values sharing theirs; 0 where one side is constant."""
    first, second = ([rank - fmean(ranks) for rank in ranks] for ranks in (_ranks(x), _ranks(y)))
    together = sum(a * b for a, b in zip(first, second, strict=True))
    apart = math.sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    return together / apart if apart else 0.0


def _ranks(values: Numbers) -> list[float]:
    return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]
