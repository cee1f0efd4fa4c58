"""Whether a row of Table 3 comes out as in the paper: rules that were fixed before anything was trained.

The paper trained each row once. Here a row has several seeds, and how much seeds differ is estimated from all rows
together: s^2 is the mean of their variances, and a difference from base has the standard error

    s sqrt(1 / seeds + 1 / seeds of base)

Where the paper's row is 0.3 BLEU or more from its base, ours must be on the same side by three standard errors. Where
it is less, ours must be within half a BLEU point, three standard errors included. On the other side by three standard
errors, or beyond half a point by as much, it comes out otherwise. All else is undecided.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Literal

from saccade.comparison.table3 import BASE, TableRow
from saccade.papers import VASWANI2017

Outcome = Literal["as in the paper", "otherwise", "undecided"]

ERRORS = 3.0
"""How many standard errors a difference must have."""
TELLING = 0.3
"""The smallest difference of the paper that is taken for one, in BLEU: its rows were trained once."""
EQUAL = 0.5
"""How far from base a row may be that the paper found equal."""

QUESTIONS = {
    "A": "One head is worse than several, and too many are worse too.",
    "B": "Narrower keys are worse.",
    "C": "Larger models are better, in depth and in both widths.",
    "D": "Without dropout, or without label smoothing, BLEU is lower.",
    "E": "Learned positions are as good as sinusoids.",
    "big": "The big model is better than the base model.",
}


@dataclass(frozen=True)
class Judged:
    """A row with its scores, one for each seed, and how it compares with base."""

    row: TableRow
    bleu: tuple[float, ...]
    perplexity: tuple[float, ...]
    difference: float | None
    error: float | None
    outcome: Outcome | None
    """None for base itself, and for what the paper has no row for."""


def judged(rows: Sequence[TableRow], scores: Mapping[str, Sequence[tuple[float, float]]]) -> list[Judged]:
    """Every row that has scores, BLEU and perplexity of each seed by the row's name."""
    bleu = {name: [one for one, _ in values] for name, values in scores.items()}
    spread = pooled_deviation(list(bleu.values()))
    result = []
    for row in rows:
        if row.name not in scores:
            continue
        mine, base = bleu[row.name], bleu.get(BASE)
        difference = error = None
        if base is not None and row.name != BASE:
            difference = fmean(mine) - fmean(base)
            error = None if spread is None else spread * math.sqrt(1 / len(mine) + 1 / len(base))
        perplexities = tuple(one for _, one in scores[row.name])
        result.append(Judged(row, tuple(mine), perplexities, difference, error, _outcome(row, difference, error)))
    return result


def pooled_deviation(values: Sequence[Sequence[float]]) -> float | None:
    """The standard deviation between seeds, from all rows that have several."""
    variances = [variance(one) for one in values if len(one) > 1]
    return math.sqrt(fmean(variances)) if variances else None


def _outcome(row: TableRow, difference: float | None, error: float | None) -> Outcome | None:
    if row.paper is None or difference is None:
        return None
    if error is None:
        return "undecided"
    theirs, margin = row.paper.bleu - VASWANI2017.table3[0].bleu, ERRORS * error
    if abs(theirs) < TELLING - 1e-9:
        if abs(difference) + margin < EQUAL:
            return "as in the paper"
        return "otherwise" if abs(difference) - margin > EQUAL else "undecided"
    if abs(difference) <= margin:
        return "undecided"
    return "as in the paper" if difference * theirs > 0 else "otherwise"


def verdicts(rows: Sequence[Judged]) -> dict[str, str]:
    """A verdict for every group of rows that the paper asks a question with."""
    found = {}
    for group in QUESTIONS:
        outcomes = {one.row.name: one.outcome for one in rows if one.row.group == group and one.outcome is not None}
        if outcomes:
            found[group] = _verdict(outcomes)
    return found


def _verdict(outcomes: Mapping[str, Outcome]) -> str:
    others = [name for name, outcome in outcomes.items() if outcome == "otherwise"]
    same = [name for name, outcome in outcomes.items() if outcome == "as in the paper"]
    if others:
        return f"does not hold here: {', '.join(others)}"
    if len(same) == len(outcomes):
        return "holds"
    return f"holds for {', '.join(same)}; undecided for the rest" if same else "undecided"
