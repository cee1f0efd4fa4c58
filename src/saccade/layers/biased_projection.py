"""Scores with a bias, W h + b, as one product: [W, b] [h; 1].

A loss that knows the matrix of the scores need not keep the scores of a whole batch. With a bias there is such a matrix
once every state carries a one at its end.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


def with_one(states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows one_wider"]:
    """[h; 1]."""
    return functional.pad(states, (0, 1), value=1.0)


class AffineScores(nn.Linear):
    """W h + b of states that carry a one."""

    def forward(self, states: Float[Tensor, "*rows one_wider"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each token."""
        return functional.linear(states[..., :-1], self.weight) + states[..., -1:] * self.bias

    @property
    def matrix(self) -> Float[Tensor, "vocabulary one_wider"]:
        """[W, b]."""
        return torch.cat([self.weight, self.bias.unsqueeze(1)], dim=1)

    if TYPE_CHECKING:
        __call__ = forward
