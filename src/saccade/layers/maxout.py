"""An output layer of maxout units, between a recurrent decoder and its softmax, and the scores of words after it.

    t~ = U s + V e(y) + C c         t_i = max(t~_{2i-1}, t~_{2i})         scores = W t + b

Cho et al. 2014 and Bahdanau et al. 2015 have it alike. A unit that is the larger of two sums is a convex function whose
bend is learned; what state, last word and context give is added before it.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


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


class BiasedProjection(nn.Module):
    """W t + b, the scores of all words, as one matrix [W, b] that is applied to [t, 1].

    A loss that knows the one matrix need not keep the scores of a whole batch.
    """

    def __init__(self, width: int, vocabulary: int, deviation: float = 0.01) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocabulary, width + 1))
        nn.init.normal_(self.weight.detach()[:, :-1], std=deviation)

    @staticmethod
    def extended(units: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows one_wider"]:
        """[t, 1]."""
        return functional.pad(units, (0, 1), value=1.0)

    def forward(self, extended: Float[Tensor, "*rows one_wider"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each word."""
        return functional.linear(extended, self.weight)

    if TYPE_CHECKING:
        __call__ = forward
