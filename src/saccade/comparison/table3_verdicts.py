"""Whether a row of Table 3 comes out as in the paper: rules that were fixed before anything was trained.

A row is judged by each of the paper's two columns, BLEU and the logarithm of perplexity. The paper trained each row
once. Here a row has several seeds. How much seeds differ is estimated from all rows together, by the median of their
variances, which a few rows that hardly learn cannot move; a row that differs more than that has its own variance:

    standard error = sqrt(max(v, v of the row) / its seeds + max(v, v of base) / seeds of base)

Where the paper's row differs from its base by enough to tell, ours must be on the same side by three standard errors.
Where it does not, ours must be so near to base that a difference of the size that counts as equal is three standard
errors away. On the other side by three standard errors, or beyond what counts as equal by as much, it comes out
otherwise. All else is undecided.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, variance
from typing import Literal

from saccade.comparison.table3 import BASE, TableRow
from saccade.papers import VASWANI2017, Row

Outcome = Literal["as in the paper", "otherwise", "undecided"]

ERRORS = 3.0
"""How many standard errors a difference must have."""

QUESTIONS = {
    "A": "One head is worse than several, and too many are worse too.",
    "B": "Narrower keys are worse.",
    "C": "Larger models are better, in depth and in both widths.",
    "D": "Without dropout both are worse; label smoothing costs perplexity and gains BLEU.",
    "E": "Learned positions are as good as sinusoids.",
    "big": "The big model is better than the base model.",
}


@dataclass(frozen=True)
class Column:
    """A column of the paper's table, as what differences are taken of."""

    name: str
    of_paper: Callable[[Row], float]
    telling: float
    """The smallest difference of the paper that is taken for one: its rows were trained once."""
    equal: float
    """How far from base a row may be that the paper found equal."""


BLEU = Column("bleu", lambda row: row.bleu, telling=0.3, equal=0.5)
PERPLEXITY = Column("perplexity", lambda row: math.log(row.perplexity), telling=0.03, equal=0.05)
"""Differences of logarithms: 0.03 is three per cent."""


@dataclass(frozen=True)
class Difference:
    """How far a row is from base in one column, and whether that is the paper's answer."""

    value: float
    error: float | None
    """None where no row has several seeds."""
    outcome: Outcome | None
    """None for what the paper has no row for."""


@dataclass(frozen=True)
class Judged:
    """A row with its scores, one for each seed, and how it compares with base; base itself does not."""

    row: TableRow
    bleu: tuple[float, ...]
    perplexity: tuple[float, ...]
    by_bleu: Difference | None
    by_perplexity: Difference | None


def judged(rows: Sequence[TableRow], scores: Mapping[str, Sequence[tuple[float, float]]]) -> list[Judged]:
    """Every row that has scores, BLEU and perplexity of each seed by the row's name."""
    bleu = {name: [one for one, _ in values] for name, values in scores.items()}
    logarithms = {name: [math.log(one) for _, one in values] for name, values in scores.items()}
    by_bleu, by_perplexity = _differences(rows, bleu, BLEU), _differences(rows, logarithms, PERPLEXITY)
    return [
        Judged(
            row,
            tuple(bleu[row.name]),
            tuple(perplexity for _, perplexity in scores[row.name]),
            by_bleu.get(row.name),
            by_perplexity.get(row.name),
        )
        for row in rows
        if row.name in scores
    ]


def _differences(
    rows: Sequence[TableRow], values: Mapping[str, Sequence[float]], column: Column
) -> dict[str, Difference]:
    if BASE not in values:
        return {}
    shared = shared_variance(list(values.values()))
    found = {}
    for row in rows:
        if row.name in values and row.name != BASE:
            difference = fmean(values[row.name]) - fmean(values[BASE])
            error = None if shared is None else _error(values[row.name], values[BASE], shared)
            found[row.name] = Difference(difference, error, _outcome(row, difference, error, column))
    return found


def shared_variance(values: Sequence[Sequence[float]]) -> float | None:
    """The variance between seeds, from the median over all rows that have several.

    Variances of a few values are mostly too small: their median is that of a chi-squared distribution (Wilson and
    Hilferty 1931), by which it is divided.
    """
    several = [one for one in values if len(one) > 1]
    if not several:
        return None
    corrected = []
    for one in several:
        freedom = len(one) - 1
        corrected.append(variance(one) / (1 - 2 / (9 * freedom)) ** 3)
    return median(corrected)


def _error(mine: Sequence[float], base: Sequence[float], shared: float) -> float:
    return math.sqrt(sum(max(shared, variance(one) if len(one) > 1 else 0.0) / len(one) for one in (mine, base)))


def _outcome(row: TableRow, difference: float, error: float | None, column: Column) -> Outcome | None:
    if row.paper is None:
        return None
    if error is None:
        return "undecided"
    theirs, margin = column.of_paper(row.paper) - column.of_paper(VASWANI2017.table3[0]), ERRORS * error
    if abs(theirs) < column.telling - 1e-9:
        if abs(difference) + margin < column.equal:
            return "as in the paper"
        return "otherwise" if abs(difference) - margin > column.equal else "undecided"
    if abs(difference) <= margin:
        return "undecided"
    return "as in the paper" if difference * theirs > 0 else "otherwise"


def verdicts(rows: Sequence[Judged]) -> dict[str, dict[str, str]]:
    """By each column, a verdict for every group of rows that the paper asks a question with."""
    found = {}
    for group in QUESTIONS:
        of_group = [one for one in rows if one.row.group == group]
        by_column = {
            BLEU.name: {one.row.name: one.by_bleu.outcome for one in of_group if one.by_bleu},
            PERPLEXITY.name: {one.row.name: one.by_perplexity.outcome for one in of_group if one.by_perplexity},
        }
        if of_group:
            found[group] = {name: _verdict(outcomes) for name, outcomes in by_column.items()}
    return found


def _verdict(outcomes: Mapping[str, Outcome | None]) -> str:
    others = [name for name, outcome in outcomes.items() if outcome == "otherwise"]
    same = [name for name, outcome in outcomes.items() if outcome == "as in the paper"]
    if outcomes and len(same) == len(outcomes):
        return "holds"
    parts = [f"as in the paper: {', '.join(same)}"] if same else []
    if others:
        parts.append(f"otherwise: {', '.join(others)}")
    if len(same) + len(others) < len(outcomes):
        parts.append("the rest is undecided" if parts else "undecided")
    return "; ".join(parts)
