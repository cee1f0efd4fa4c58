"""Attention with a single query at a time, as the ancestors had it: a score, an alignment, a weighted sum.

e = score(q, k_1..n)        a = align(e)        c = sum_l a_l v_l
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.alignment import Alignment
from saccade.attention.altering import altered
from saccade.attention.recording import watcher
from saccade.attention.scores import Score
from saccade.sequences import TensorRows


@dataclass(frozen=True)
class PreparedKeysValues(TensorRows):
    """What can be attended to: keys as the score compares them, values, and which positions are real."""

    keys: Float[Tensor, "batch key prepared_width"]
    values: Float[Tensor, "batch key value_width"]
    real: Bool[Tensor, "batch key"]


class Attention(nn.Module):
    """A score and an alignment; a recording receives its weights as those of one head."""

    weighted_sum: ClassVar[bool] = True
    """Whether the context is the weighted sum of the values; a subclass that changes it says False.

    Only then may a fast twin of score and alignment stand in for this module.
    """

    def __init__(self, score: Score, alignment: Alignment) -> None:
        super().__init__()
        self.score = score
        self.alignment = alignment

    def prepare(
        self,
        keys: Float[Tensor, "batch key key_width"],
        values: Float[Tensor, "batch key value_width"],
        real: Bool[Tensor, "batch key"],
    ) -> PreparedKeysValues:
        """What does not depend on the query, computed once."""
        if watch := watcher(self):
            watch(keys=keys.unsqueeze(1))
        return PreparedKeysValues(self.score.prepare(keys), values, real)

    def forward(
        self,
        queries: Float[Tensor, "batch query query_width"],
        source: PreparedKeysValues,
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query value_width"]:
        """The context of each query; `positions` are those of the queries in their own sequence."""
        scores = self.score(queries, source.keys)
        weights = altered(self, self.alignment(scores, source.real, queries, positions))
        context = weights @ source.values
        if watch := watcher(self):
            own = {"context": context.unsqueeze(1)}
            watch(weights=weights.unsqueeze(1), rest=lambda: {**self._trace(queries, source, positions, scores), **own})
        return context

    def pool(
        self,
        query: Float[Tensor, "batch query_width"],
        items: Float[Tensor, "batch key width"],
        real: Bool[Tensor, "batch key"],
    ) -> Float[Tensor, "batch width"]:
        """A sequence as one vector: what one query takes of items that are keys and values."""
        first = torch.zeros(1, 1, dtype=torch.int64, device=items.device)
        return self(query.unsqueeze(1), self.prepare(items, items, real), first).squeeze(1)

    def _trace(
        self,
        queries: Float[Tensor, "batch query query_width"],
        source: PreparedKeysValues,
        positions: Int[Tensor, "#batch query"],
        scores: Float[Tensor, "batch query key"],
    ) -> dict[str, Any]:
        """The values for a trace, as of one head. Scores that exclude a key are left to the mask."""
        score, alignment = self.score, self.alignment
        seen = alignment.visible(source.real, queries, positions) & (scores > torch.finfo(scores.dtype).min)
        inside = {
            name: vectors.unsqueeze(1) if vectors.dim() == 3 else vectors
            for name, vectors in score.inside(queries, source.keys).items()
        }
        return {
            "score": score.name,
            "scale": score.scale,
            "alignment": alignment.name,
            "sums_to_one": alignment.sums_to_one,
            "reach": alignment.reach,
            "centre": None if alignment.reach is None else alignment.centre(queries, source.real, positions),
            "query": queries.unsqueeze(1),
            "values": source.values.unsqueeze(1),
            "scores": scores.masked_fill(~seen, 0.0).unsqueeze(1) / score.scale,
            "mask": seen,
            **inside,
        }

    if TYPE_CHECKING:
        __call__ = forward
