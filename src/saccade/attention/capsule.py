"""An attention of its own for every class: Wang et al. 2018, "Sentiment Analysis by Capsules".

    e_il = q_i^T k_l        a_i = softmax(e_i)        c_i = sum_l a_il k_l
    p_i = sigma(w_i^T c_i + b_i)                      r_i = p_i c_i

p_i says whether class i is there, and c_i what of the input speaks for it. These capsules share nothing with those of
Sabour et al. 2017, which are routed by agreement.
"""

from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.recording import watcher


class Capsules(NamedTuple):
    """What every class has found."""

    contexts: Float[Tensor, "batch class width"]
    """c."""
    logits: Float[Tensor, "batch class"]
    """What p is the sigmoid of."""
    reconstructions: Float[Tensor, "batch class width"]
    """r."""


class CapsuleAttention(nn.Module):
    """One learned query and one yes-or-no answer for each class; a recording receives the classes as queries."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, classes, bias=False)
        self.presence = nn.Linear(width, classes)

    def forward(self, items: Float[Tensor, "batch item width"], real: Bool[Tensor, "batch item"]) -> Capsules:
        """The capsules of an input."""
        weights = softmax_where(self.query(items).transpose(1, 2), real.unsqueeze(1))
        if watch := watcher(self):
            watch(weights=weights.unsqueeze(1))
        contexts = weights @ items
        logits = (contexts * self.presence.weight).sum(-1) + self.presence.bias
        return Capsules(contexts, logits, torch.sigmoid(logits).unsqueeze(-1) * contexts)

    if TYPE_CHECKING:
        __call__ = forward
