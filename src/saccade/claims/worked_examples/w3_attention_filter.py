"""W3: a six by six matrix of scores, divided by a root and put through softmax."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import attend_by

ROWS = ("?", "you", "are", "How", ",", "Hi")
COLUMNS = ("Hi", ",", "How", "are", "you", "?")
"""The order of the columns is not printed; as the sentence is read."""

SCORES = (
    (39, 30, 73, 64, 12, 74),
    (28, 27, 54, 41, 92, 12),
    (52, 68, 12, 13, 40, 27),
    (33, 25, 91, 36, 55, 45),
    (20, 11, 15, 21, 29, 24),
    (89, 12, 32, 45, 73, 34),
)
BY_HAND = (
    (0.0, 0.0, 0.3953, 0.0100, 0.0, 0.5946),
    (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    (0.0015, 0.9985, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (0.0212, 0.0005, 0.0028, 0.0319, 0.8352, 0.1085),
    (0.9985, 0.0, 0.0, 0.0, 0.0015, 0.0),
)
FIRST_UNSCALED = (0.0, 0.0, 0.2689, 0.0, 0.0, 0.7310)


def measure(generator: Generator, progress: Progress) -> Findings:  # noqa: ARG001 nothing here is random
    """The scores as they are and divided by sqrt(6), through saccade's attention."""
    scores = torch.tensor(SCORES, dtype=torch.float64)
    values = torch.eye(6, dtype=torch.float64)
    progress(1.0)
    return {
        "scaled": attend_by(scores / 6**0.5, values)[0].tolist(),
        "unscaled": attend_by(scores, values)[0].tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """To four decimals."""
    scaled, unscaled = measured.matrix("scaled"), measured.matrix("unscaled")
    miss = max(
        abs(a - b)
        for row, wanted in zip([*scaled, unscaled[0]], [*BY_HAND, FIRST_UNSCALED], strict=True)
        for a, b in zip(row, wanted, strict=True)
    )
    nearly = sum(max(row) > 0.99 for row in scaled)
    because = (
        f"first row scaled {listed(scaled[0], 4)}, unscaled {listed(unscaled[0], 4)}. {nearly} of 6 scaled rows are "
        "one-hot to within 0.01: scores this large saturate the softmax even when scaled."
    )
    return Judgement(Verdict.HOLDS if miss < 1e-4 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Scaled and unscaled weights."""
    for axes, name in zip(figure.subplots(1, 2), ("scaled", "unscaled"), strict=True):
        axes.imshow(measured.matrix(name), cmap="viridis", vmin=0, vmax=1)
        axes.set(title=f"{name} by the root of 6", xticks=range(6), yticks=range(6))
        axes.set_xticklabels(COLUMNS)
        axes.set_yticklabels(ROWS)


CLAIM = Claim(
    id="W3",
    title="An attention filter of integers",
    said="an introduction to self-attention in slides",
    claim="The scores between the words of “Hi, How are you?” become attention weights once they are divided by the "
    "root of the key width and put through a softmax.",
    expected=Verdict.HOLDS,
    rule="All 36 scaled weights, and the first unscaled row, equal those computed by hand to 4 decimals.",
    cost="instant",
    seeds=1,
    measure=measure,
    judge=judge,
    plot=plot,
)
