"""Co-attention: two inputs that attend to each other. K1 and K2 are their items as columns.

    coarse         a summary of one input asks the other
      interactive    c_1 = attend(mean K2, K1)      c_2 = attend(mean K1, K2)                      Ma et al. 2017
      alternating    s = attend(learned, K1)      c_2 = attend(s, K2)      c_1 = attend(c_2, K1)   Lu et al. 2016
    fine           every item meets every item, in an affinity matrix [n1, n2]
      parallel       A = tanh(K1^T W K2),  H1 = tanh(W1 K1 + (W2 K2) A^T),  H2 = tanh(W2 K2 + (W1 K1) A)
                     a_1 = softmax(w1^T H1)         a_2 = softmax(w2^T H2)                         Lu et al. 2016
      pooling        A = tanh(K1^T W K2),  a_1 = softmax(max over 2 of A),  a_2 = softmax(max over 1 of A)
                                                                                             dos Santos et al. 2016
    multi-grained  a coarse and a fine one side by side                                          after Fan et al. 2018

and c_1 = K1 a_1, c_2 = K2 a_2 for those that give weights.
"""

from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.learned_query import LearnedQueryAttention
from saccade.attention.recording import watcher
from saccade.attention.single_query import Attention


class CoAttended(NamedTuple):
    """Each of two inputs as one vector, in the light of the other."""

    first: Float[Tensor, "batch first_width"]
    second: Float[Tensor, "batch second_width"]


class CoAttention(nn.Module):
    """Two inputs that attend to each other."""

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        raise NotImplementedError

    if TYPE_CHECKING:
        __call__ = forward


class InteractiveCoAttention(CoAttention):
    """The mean of each input asks the other."""

    def __init__(self, first: Attention, second: Attention) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        return CoAttended(
            self.first.pool(mean_of(second, second_real), first, first_real),
            self.second.pool(mean_of(first, first_real), second, second_real),
        )


class AlternatingCoAttention(CoAttention):
    """The first input as one vector asks the second, and what was found there asks the first again."""

    def __init__(self, opening: LearnedQueryAttention, second: Attention, first: Attention) -> None:
        super().__init__()
        self.opening, self.second, self.first = opening, second, first

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        found = self.second.pool(self.opening(first, first_real), second, second_real)
        return CoAttended(self.first.pool(found, first, first_real), found)


class ParallelCoAttention(CoAttention):
    """Every item hears the items of the other input it is akin to, before it is weighed."""

    def __init__(self, first_width: int, second_width: int, hidden_width: int) -> None:
        super().__init__()
        self.affinity = Affinity(first_width, second_width)
        self.first = nn.Linear(first_width, hidden_width, bias=False)
        self.second = nn.Linear(second_width, hidden_width, bias=False)
        self.first_vector = nn.Linear(hidden_width, 1, bias=False)
        self.second_vector = nn.Linear(hidden_width, 1, bias=False)

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        both = first_real.unsqueeze(2) & second_real.unsqueeze(1)
        affinity = self.affinity(first, second).masked_fill(~both, 0.0)
        ours, theirs = self.first(first), self.second(second)
        first_scores = self.first_vector(torch.tanh(ours + affinity @ theirs)).squeeze(-1)
        second_scores = self.second_vector(torch.tanh(theirs + affinity.transpose(1, 2) @ ours)).squeeze(-1)
        return _weighed(self, first, first_real, first_scores, second, second_real, second_scores)


class AttentivePooling(CoAttention):
    """An item counts as much as the most kindred item of the other input says."""

    def __init__(self, first_width: int, second_width: int) -> None:
        super().__init__()
        self.affinity = Affinity(first_width, second_width)

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        affinity = self.affinity(first, second)
        # A tanh is above minus one, so what is not there is never the most kindred.
        first_scores = affinity.masked_fill(~second_real.unsqueeze(1), -1.0).amax(2)
        second_scores = affinity.masked_fill(~first_real.unsqueeze(2), -1.0).amax(1)
        return _weighed(self, first, first_real, first_scores, second, second_real, second_scores)


class MultiGrainedCoAttention(CoAttention):
    """What a coarse and a fine co-attention take, side by side."""

    def __init__(self, coarse: CoAttention, fine: CoAttention) -> None:
        super().__init__()
        self.coarse, self.fine = coarse, fine

    def forward(
        self,
        first: Float[Tensor, "batch first first_width"],
        first_real: Bool[Tensor, "batch first"],
        second: Float[Tensor, "batch second second_width"],
        second_real: Bool[Tensor, "batch second"],
    ) -> CoAttended:
        """What is taken of each."""
        both = [one(first, first_real, second, second_real) for one in (self.coarse, self.fine)]
        return CoAttended(*(torch.cat(contexts, dim=-1) for contexts in zip(*both, strict=True)))


class Affinity(nn.Module):
    """tanh(K1^T W K2)."""

    def __init__(self, first_width: int, second_width: int) -> None:
        super().__init__()
        self.matrix = nn.Linear(second_width, first_width, bias=False)

    def forward(
        self, first: Float[Tensor, "batch first first_width"], second: Float[Tensor, "batch second second_width"]
    ) -> Float[Tensor, "batch first second"]:
        """How akin every item of one is to every item of the other."""
        return torch.tanh(first @ self.matrix(second).transpose(1, 2))

    if TYPE_CHECKING:
        __call__ = forward


def mean_of(items: Float[Tensor, "batch item width"], real: Bool[Tensor, "batch item"]) -> Float[Tensor, "batch width"]:
    """The mean of the real items; nothing where there is none."""
    return (items * real.unsqueeze(-1)).sum(1) / real.sum(1, keepdim=True).clamp(min=1)


def _weighed(
    module: nn.Module,
    first: Float[Tensor, "batch first first_width"],
    first_real: Bool[Tensor, "batch first"],
    first_scores: Float[Tensor, "batch first"],
    second: Float[Tensor, "batch second second_width"],
    second_real: Bool[Tensor, "batch second"],
    second_scores: Float[Tensor, "batch second"],
) -> CoAttended:
    """Softmax and weighted mean of both; a recording receives the weights of the first, then those of the second."""
    weights = [
        softmax_where(scores.unsqueeze(1), real.unsqueeze(1))
        for scores, real in ((first_scores, first_real), (second_scores, second_real))
    ]
    if watch := watcher(module):
        for each in weights:
            watch(weights=each.unsqueeze(1))
    return CoAttended((weights[0] @ first).squeeze(1), (weights[1] @ second).squeeze(1))
