"""Attention with a weight for each item and each feature of its value: Shen et al. 2018 (DiSAN), section 3.1.

    e_l = W^T tanh(W1 q + W2 k_l + b1) + b2,  in R^{d_v}      a_.f = softmax over l of e_.f      c_f = sum_l a_lf v_lf

One item may give its colour and another its size. With equal columns of W and of b2, all features have the same
weights, and this is additive attention.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.recording import watcher


class MultiDimensionalAttention(nn.Module):
    """A distribution over the items for every feature; a recording receives them as heads."""

    def __init__(self, query_width: int, key_width: int, value_width: int, hidden_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_width, hidden_width, bias=False)
        self.key = nn.Linear(key_width, hidden_width)
        self.feature = nn.Linear(hidden_width, value_width)

    def forward(
        self,
        queries: Float[Tensor, "batch query query_width"],
        keys: Float[Tensor, "batch key key_width"],
        values: Float[Tensor, "batch key value_width"],
        real: Bool[Tensor, "batch key"],
    ) -> Float[Tensor, "batch query value_width"]:
        """What each query takes of each feature."""
        hidden = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        scores = self.feature(hidden).movedim(-1, 1)
        weights = softmax_where(scores.flatten(0, 1), real.repeat_interleave(scores.shape[1], 0).unsqueeze(1))
        weights = weights.view_as(scores)
        if watch := watcher(self):
            watch(weights=weights)
        return torch.einsum("bfqk,bkf->bqf", weights, values)

    if TYPE_CHECKING:
        __call__ = forward
