"""An output layer of maxout units, between a recurrent decoder and its softmax, and the scores of words after it.

    t~ = U s + V e(y) + C c         t_i = max(t~_{2i-1}, t~_{2i})         scores = W t + b

Cho et al. 2014 and Bahdanau et al. 2015 have it alike. A unit that is the larger of two sums is a convex function whose
bend is learned; what state, last word and context give is added before it.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn


class MaxoutOutput(nn.Module):
    """Reads a decoder's state, the word it read last and the context it had."""

    def __init__(
        self, state_width: int, word_width: int, context_width: int, width: int, deviation: float = 0.01
    ) -> None:
        super().__init__()
        self.state = nn.Linear(state_width, 2 * width)
        self.word = nn.Linear(word_width, 2 * width, bias=False)
        self.context = nn.Linear(context_width, 2 * width, bias=False)
        for part in (self.state, self.word, self.context):
            nn.init.normal_(part.weight, std=deviation)
        nn.init.zeros_(self.state.bias)

    def forward(
        self,
        state: Float[Tensor, "*rows state_width"],
        word: Float[Tensor, "*rows word_width"],
        context: Float[Tensor, "*any context_width"],
    ) -> Float[Tensor, "*rows width"]:
        """The maxout units; a context that is the same for all positions may have one position."""
        return largest_of_pairs(self.state(state) + self.word(word) + self.context(context))

    if TYPE_CHECKING:
        __call__ = forward


def largest_of_pairs(sums: Float[Tensor, "*rows twice"]) -> Float[Tensor, "*rows width"]:
    """The larger of each two neighbours."""
    return torch.maximum(sums[..., ::2], sums[..., 1::2])
