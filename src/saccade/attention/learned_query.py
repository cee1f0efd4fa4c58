"""Attention whose query is learned and the same for every input: a self-attentive query of the survey.

    e_l = u^T tanh(W k_l + b)        a = softmax(e)        c = sum_l a_l k_l        Yang et al. 2016, equations 5 to 7

u asks what is worth taking of any input at all.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.recording import watcher


class LearnedQueryAttention(nn.Module):
    """A sequence as one vector; a recording receives its weights as those of one head and one query."""

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, hidden_width)
        self.query = nn.Parameter(torch.empty(hidden_width))
        nn.init.normal_(self.query, std=hidden_width**-0.5)

    def forward(
        self, items: Float[Tensor, "batch item width"], real: Bool[Tensor, "batch item"]
    ) -> Float[Tensor, "batch width"]:
        """The weighted mean of the items; nothing where no item is real."""
        scores = torch.tanh(self.key(items)) @ self.query
        weights = softmax_where(scores.unsqueeze(1), real.unsqueeze(1))
        if watch := watcher(self):
            watch(weights=weights.unsqueeze(1))
        return (weights @ items).squeeze(1)

    if TYPE_CHECKING:
        __call__ = forward
