"""W1: choosing a lunch by attention."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import attend_by

DISHES = ("hot pot", "noodles", "salad")
SCORES = (2.6391, 1.6094, 0.0)
WEIGHTS = (0.70, 0.25, 0.05)
VALUES = ((1.0, 0.0), (0.5, 1.0), (-1.0, 2.0))


def measure(generator: Generator, progress: Progress) -> Findings:  # noqa: ARG001 nothing here is random
    """The three scores and three values through saccade's attention."""
    values = torch.tensor(VALUES, dtype=torch.float64)
    weights, context = attend_by(torch.tensor([SCORES], dtype=torch.float64), values)
    progress(1.0)
    return {"weights": weights[0].tolist(), "context": context[0].tolist()}


def judge(measured: Measured) -> Judgement:
    """To four decimals, weights and context."""
    weights, context = measured.curve("weights"), measured.curve("context")
    by_hand = [sum(weight * value[axis] for weight, value in zip(WEIGHTS, VALUES, strict=True)) for axis in range(2)]
    miss = max(abs(a - b) for a, b in zip([*weights, *context], [*WEIGHTS, *by_hand], strict=True))
    because = (
        f"scores {listed(SCORES, 4)} give weights {listed(weights, 4)} and the context ({listed(context, 4)}); by hand "
        f"it is ({listed(by_hand, 4)})."
    )
    return Judgement(Verdict.HOLDS if miss < 1e-4 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """The weights as bars."""
    axes = figure.subplots()
    axes.bar(DISHES, measured.curve("weights"))
    axes.set(ylabel="weight", ylim=(0, 1))


CLAIM = Claim(
    id="W1",
    title="The cafeteria",
    said="a beginner's note on attention",
    claim="A hungry person's wishes are the query, the menus the keys: 70 % of attention go to the dish that fits "
    "best, 25 % to the next and 5 % to the last, and what arrives is the dishes mixed in these shares.",
    expected=Verdict.HOLDS,
    rule="Scores with the logarithms of these ratios give these weights, and the context is their mixture, to 4 "
    "decimals.",
    cost="instant",
    seeds=1,
    measure=measure,
    judge=judge,
    plot=plot,
)
