"""Figures of attention on a few numbers: alignments, convolution beside it, self-attention, heads, positions."""

import torch
from tools.course.drawing import heat

from saccade.attention.alignment import Hard, LocalMonotonic, Sigmoid, Soft
from saccade.attention.sparse_alignment import Sparsemax, TopK


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
