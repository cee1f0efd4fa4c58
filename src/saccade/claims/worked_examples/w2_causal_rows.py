"""W2: four words, each mixing itself with those before it."""

import math

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import attend_by

WORDS = ("I", "ate", "an", "apple")
ROWS = ((1.0,), (0.5, 0.5), (0.45, 0.45, 0.1), (0.3, 0.3, 0.1, 0.3))
UNSEEN = 7.0
"""A large score for words that come later: the mask must make nothing of it."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """The logarithms of the printed rows as scores, under a causal mask, over random values."""
    scores = torch.full((4, 4), UNSEEN, dtype=torch.float64)
    for row, printed in enumerate(ROWS):
        scores[row, : row + 1] = torch.tensor([math.log(weight) for weight in printed], dtype=torch.float64)
    values = torch.randn(4, 3, generator=generator, dtype=torch.float64)
    weights, context = attend_by(scores, values, causal=True)
    by_hand = [
        [sum(weight * values[place, axis].item() for place, weight in enumerate(row)) for axis in range(3)]
        for row in ROWS
    ]
    progress(1.0)
    return {
        "weights": weights.tolist(),
        "future": weights.triu(diagonal=1).max().item(),
        "missing": (weights.sum(dim=1) - 1).abs().max().item(),
        "difference": (context - torch.tensor(by_hand, dtype=torch.float64)).abs().max().item(),
    }


def judge(measured: Measured) -> Judgement:
    """Rows as printed, nothing above the diagonal, contexts as by hand."""
    rows = measured.matrix("weights")
    miss = max(abs(a - b) for row, wanted in zip(rows, ROWS, strict=True) for a, b in zip(row, wanted, strict=False))
    because = (
        f"the last row is {listed(rows[-1], 4)}; all rows sum to 1 within {measured.largest('missing'):.0e}, weight on "
        f"later words is {measured.largest('future'):.0f}, contexts differ from those by hand by "
        f"{measured.largest('difference'):.0e}."
    )
    exact = measured.largest("future") == 0 and measured.largest("missing") < 1e-12
    return Judgement(
        Verdict.HOLDS if exact and max(miss, measured.largest("difference")) < 5e-5 else Verdict.FAILS, because
    )


def plot(figure: Figure, measured: Measured) -> None:
    """The rows as a matrix."""
    axes = figure.subplots()
    axes.imshow(measured.matrix("weights"), cmap="viridis", vmin=0, vmax=1)
    for row, weights in enumerate(measured.matrix("weights")):
        for place, weight in enumerate(weights):
            axes.text(place, row, f"{weight:.2f}", ha="center", va="center", color="black" if weight > 0.6 else "white")
    axes.set(xticks=range(4), yticks=range(4))
    axes.set_xticklabels(WORDS)
    axes.set_yticklabels(WORDS)


CLAIM = Claim(
    id="W2",
    title="Causal rows",
    said="a long introduction to attention",
    claim="Reading “I ate an apple” word by word, each word's context is a mixture of itself and the words before it, "
    "with weights that sum to one.",
    expected=Verdict.HOLDS,
    rule="The printed rows come out of masked attention to 4 decimals, are lower-triangular and sum to 1, and the "
    "contexts are these rows times the values.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
