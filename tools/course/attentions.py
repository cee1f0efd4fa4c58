"""Figures of attention on a few numbers: alignments, convolution beside it, self-attention, heads, positions."""

import torch
from tools.course.drawing import heat
from torch.nn import functional

from saccade.attention.alignment import Hard, LocalMonotonic, Sigmoid, Soft
from saccade.attention.sparse_alignment import Sparsemax, TopK
from saccade.layers.position import sinusoids


def alignments() -> str:
    """What five scores become; the query stands at the second word, and a window reaches one word to each side."""
    scores = torch.tensor([[[1.5, 1.0, 0.5, 0.0, -1.0]]])
    real, query, place = torch.ones(1, 5, dtype=torch.bool), torch.zeros(1, 1, 1), torch.tensor([[1]])
    kinds = [Soft(), Hard(), LocalMonotonic(1), TopK(2), Sparsemax(), Sigmoid()]
    rows = [kind.eval()(scores, real, query, place).flatten().tolist() for kind in kinds]
    return heat(
        "Five scores under six alignments",
        [kind.name for kind in kinds],
        [f"{score:g}" for score in scores.flatten().tolist()],
        rows,
        down="alignment",
        across="score",
        largest=1.0,
    )


def convolution() -> str:
    """How much of one word reaches each position through layers of the kernel 1/4, 1/2, 1/4."""
    kernel = torch.tensor([[[0.25, 0.5, 0.25]]])
    reached = torch.zeros(1, 1, 11)
    reached[0, 0, 5] = 1.0
    rows = []
    for _ in range(4):
        reached = functional.conv1d(reached, kernel, padding=1)
        rows.append(reached.flatten().tolist())
    return heat(
        "One word in the middle, through one to four layers",
        [f"layer {number}" for number in range(1, 5)],
        [str(place) for place in range(-5, 6)],
        rows,
        across="places from the word",
    )


def positions() -> str:
    """The paper's sinusoids at a small width."""
    names = [f"{wave} {number}" for number in range(1, 5) for wave in ("sin", "cos")]
    return heat(
        "Positions 0 to 9 as four hands of a clock",
        [str(place) for place in range(10)],
        names,
        sinusoids(10, 8).tolist(),
        down="position",
        across="number",
    )
