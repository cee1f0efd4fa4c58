"""Alignment functions that give most keys exactly nothing.

    top-k       softmax over the k keys of highest score
    sparsemax   the point of the simplex nearest to the scores, argmin_p |p - e|^2        Martins and Astudillo 2016

Softmax never gives a key nothing, so a thousand keys that say nothing still say something together.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.attention.alignment import Alignment, softmax_where


class TopK(Alignment):
    """softmax over the keys whose score is among the k highest.

    Keys that tie with the last of them are kept too: which of two equal keys is seen must not depend on padding.
    """

    name = "top-k"

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002 the scores have heard them
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        seen = real.unsqueeze(1)
        visible = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        lowest_kept = visible.topk(min(self.count, scores.shape[-1]), dim=-1).values[..., -1:]
        return softmax_where(scores, seen & (visible >= lowest_kept))


class Sparsemax(Alignment):
    """max(e - tau, 0), with the one tau for which the weights sum to one.

    With the scores sorted downwards, e_(1) >= e_(2) >= ..., the weight is on the first k of them, k the largest number
    with 1 + k e_(k) > sum_{j <= k} e_(j), and tau = (sum_{j <= k} e_(j) - 1) / k.
    """

    name = "sparsemax"

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        seen = real.unsqueeze(1) & (scores > torch.finfo(scores.dtype).min)
        # What is added to all scores changes nothing, and a key one below the highest has no weight. So unseen keys
        # may stand a little lower than that: no large number ever enters a sum.
        highest = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        relative = (scores - highest.detach()).masked_fill(~seen, -2.0).clamp(min=-2.0)
        ordered = relative.sort(dim=-1, descending=True).values
        sums = ordered.cumsum(-1)
        ranks = torch.arange(1, scores.shape[-1] + 1, device=scores.device, dtype=scores.dtype)
        supported = (1 + ranks * ordered > sums).sum(-1, keepdim=True)
        threshold = (sums.gather(-1, supported - 1) - 1) / supported
        return (relative - threshold).clamp(min=0.0).masked_fill(~seen, 0.0)
