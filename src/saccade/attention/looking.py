"""Attention with a single query at a time, as the ancestors had it: a score, an alignment, a weighted sum.

e = score(q, k_1..n)        a = align(e)        c = sum_l a_l v_l
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.alignment import Alignment
from saccade.attention.recording import watcher
from saccade.attention.scores import Score
from saccade.sequences import Rows


@dataclass(frozen=True)
class Sight(Rows):
    """What can be attended to: keys as the score wants them, values, and which positions are real."""

    prepared: Float[Tensor, "batch key prepared_width"]
    values: Float[Tensor, "batch key value_width"]
    real: Bool[Tensor, "batch key"]


class Attention(nn.Module):
    """A score and an alignment; its weights go to whoever records, as those of one head."""

    def __init__(self, score: Score, alignment: Alignment) -> None:
        super().__init__()
        self.score = score
        self.alignment = alignment

    def sight(
        self,
        keys: Float[Tensor, "batch key key_width"],
        values: Float[Tensor, "batch key value_width"],
        real: Bool[Tensor, "batch key"],
    ) -> Sight:
        """What does not depend on the query, computed once."""
        return Sight(self.score.prepared(keys), values, real)

    def forward(
        self,
        queries: Float[Tensor, "batch query query_width"],
        sight: Sight,
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query value_width"]:
        """The context of each query; `positions` are those of the queries in their own sequence."""
        weights = self.alignment(self.score(queries, sight.prepared), sight.real, queries, positions)
        if watch := watcher(self):
            watch(weights=weights.unsqueeze(1))
        return weights @ sight.values

    if TYPE_CHECKING:
        __call__ = forward
