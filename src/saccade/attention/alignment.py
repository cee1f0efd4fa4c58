"""Alignment functions: from scores to weights, which say how much of each value a query takes.

    soft       softmax over everything that can be seen                                 Bahdanau 2015
    hard       all weight on one position: drawn while training, the best one afterwards; the gradient is that of the
               softmax it was drawn from (Gumbel noise, straight through: Jang 2017)
    local-m    softmax within [t - D, t + D] around the query's own position t           Luong 2015
    local-p    the same around a predicted place p = S sigma(v^T tanh(W q)), times exp(-(s - p)^2 / (2 (D/2)^2))
    diagonal   a fixed bump that moves along with the query; nothing is learned          what Bahdanau tried second
    sigmoid    every key for itself, sigma(e): nothing is shared out

sparse_alignment.py has those that give most keys exactly nothing, reinforced_alignment.py those that learn a choice
from the reward alone, as Xu 2015 trained hard attention; alignment_catalogue.py has all by name.

Weights are never negative and exactly zero on padding. They sum to one, except under local-p, whose bell is not
renormalised, under local-m where the window has left the sentence, so that there is nothing to take, and under sigmoid.
"""

from typing import TYPE_CHECKING, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Alignment(nn.Module):
    """Weights from scores."""

    name: str
    """Its name in configurations and traces."""
    is_softmax: ClassVar[bool] = False
    """Whether the weights are the softmax of the scores over all real keys."""
    sums_to_one: bool = True
    """Whether the weights of a query that sees anything always do."""
    reach: int | None = None
    """How far from its centre a query sees; None: everywhere."""

    def centre(
        self,
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        real: Bool[Tensor, "batch key"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "#batch query"]:
        """Around which place each query looks: its own, as far as nothing else is known."""
        return positions.float()

    def visible(
        self,
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],
        positions: Int[Tensor, "#batch query"],
    ) -> Bool[Tensor, "batch query key"]:
        """The keys that each query takes into account."""
        seen = real.unsqueeze(1).expand(-1, queries.shape[1], -1)
        if self.reach is None:
            return seen
        places = torch.arange(real.shape[1], device=real.device)
        return seen & ((places - self.centre(queries, real, positions).unsqueeze(-1)).abs() <= self.reach)

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query; `positions` are those of the queries in their own sequence."""
        raise NotImplementedError

    if TYPE_CHECKING:
        __call__ = forward


class Soft(Alignment):
    """softmax(e)."""

    name = "soft"
    is_softmax = True

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002 the scores have heard them
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        return softmax_where(scores, real.unsqueeze(1))


class Hard(Alignment):
    """One position takes everything.

    A choice has no gradient. In training one is drawn by Gumbel noise, and the gradient is that of the softmax it was
    drawn from (straight through). That is biased, and needs no reward: `Reinforced` is the unbiased one of Xu 2015.
    Afterwards the best position is taken, and no luck is involved.
    """

    name = "hard"

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        seen = real.unsqueeze(1)
        if self.training:
            scores = scores - torch.empty_like(scores).exponential_().log()
        soft = softmax_where(scores, seen)
        chosen = torch.zeros_like(soft).scatter_(-1, soft.argmax(-1, keepdim=True), 1.0)
        return (chosen - soft.detach() + soft).masked_fill(~seen, 0.0) if self.training else chosen


class LocalMonotonic(Alignment):
    """Both sides are taken to run at the same pace: the query at position t looks at t - D to t + D."""

    name = "local-m"

    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach = reach

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        return softmax_where(scores, self.visible(real, queries, positions))


class LocalPredictive(Alignment):
    """The query predicts where to look, p in [0, S], and a bell around p lets that prediction learn."""

    name = "local-p"
    sums_to_one = False
    reach: int

    def __init__(self, query_width: int, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.inner = nn.Linear(query_width, query_width, bias=False)
        self.vector = nn.Parameter(torch.empty(query_width))
        nn.init.normal_(self.vector, std=query_width**-0.5)

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        centre = self.centre(queries, real, positions)
        distance = torch.arange(scores.shape[-1], device=scores.device) - centre.unsqueeze(-1)
        weights = softmax_where(scores, (distance.abs() <= self.reach) & real.unsqueeze(1))
        return weights * (-distance.square() / (2 * (self.reach / 2) ** 2)).exp().to(weights.dtype)

    def centre(
        self,
        queries: Float[Tensor, "batch query query_width"],
        real: Bool[Tensor, "batch key"],
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002 the query knows
    ) -> Float[Tensor, "batch query"]:
        """Where each query looks: p = S sigma(v^T tanh(W q)). In bfloat16 far places would lie whole words apart."""
        wide = torch.promote_types(self.vector.dtype, torch.float32)
        with torch.autocast(queries.device.type, enabled=False):
            hidden = torch.tanh(self.inner(queries.to(self.vector.dtype)).to(wide))
            return real.sum(-1, keepdim=True) * (hidden @ self.vector.to(wide)).sigmoid()


class Diagonal(Alignment):
    """A fixed bump at j = i, at the last word once the source is over; the scores are not asked.

    The true slope would be S / T, but the length T of a translation is not known while it is written.
    """

    name = "diagonal"

    def __init__(self, spread: float = 1.0) -> None:
        super().__init__()
        self.spread = spread

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        place = positions.expand(len(scores), -1).minimum(real.sum(-1, keepdim=True) - 1)
        distance = torch.arange(scores.shape[-1], device=scores.device) - place.unsqueeze(-1)
        return softmax_where(-distance.square().to(scores.dtype) / (2 * self.spread**2), real.unsqueeze(1))


class Sigmoid(Alignment):
    """sigma(e), key by key: a query may take several keys whole, or none at all."""

    name = "sigmoid"
    sums_to_one = False

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        return scores.sigmoid().masked_fill(~real.unsqueeze(1), 0.0)


def softmax_where(
    scores: Float[Tensor, "batch query key"], seen: Bool[Tensor, "batch #query key"]
) -> Float[Tensor, "batch query key"]:
    """Softmax over what is seen, zero elsewhere; a query that sees nothing takes nothing.

    A score that is the lowest number there is says "not at all", and its place counts as unseen.
    """
    lowest = torch.finfo(scores.dtype).min
    seen = seen & (scores > lowest)
    return scores.masked_fill(~seen, lowest).softmax(-1).masked_fill(~seen, 0.0)
