"""Multi-head attention with any score: each head has one of its own.

What a head keeps of its keys is what its score prepares, so that a cache of keys holds what no query changes. Every
score here prepares as many numbers as a key has.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.scores import Score


class HeadScores(nn.Module):
    """The scores of all heads, each by its own object of one kind."""

    def __init__(self, scores: Sequence[Score]) -> None:
        super().__init__()
        self.heads = nn.ModuleList(scores)
        self.name = scores[0].name

    def prepare(self, keys: Float[Tensor, "batch heads key key_width"]) -> Float[Tensor, "batch heads key key_width"]:
        """The part that depends on the keys alone."""
        return torch.stack([score.prepare(keys[:, head]) for head, score in enumerate(self._scores)], dim=1)

    def forward(
        self,
        queries: Float[Tensor, "batch heads query key_width"],
        prepared: Float[Tensor, "batch heads key key_width"],
        places: int = 1,
    ) -> Float[Tensor, "batch heads query key"]:
        """The score of every query against every key; `places` keys one after another have the same position."""
        rows = [score.at_places(queries[:, head], prepared[:, head], places) for head, score in enumerate(self._scores)]
        return torch.stack(rows, dim=1)

    def inside(
        self,
        queries: Float[Tensor, "batch heads query key_width"],
        prepared: Float[Tensor, "batch heads key key_width"],
    ) -> dict[str, Float[Tensor, "batch heads length hidden_width"]]:
        """For a trace, the vectors whose products are the scores; nothing where scores are more than products."""
        found = [score.inside(queries[:, head], prepared[:, head]) for head, score in enumerate(self._scores)]
        if any("q_hidden" not in inside or "vector" in inside for inside in found):
            return {}
        asked = [inside["q_hidden"] * score.scale for inside, score in zip(found, self._scores, strict=True)]
        return {
            "q_hidden": torch.stack(asked, dim=1),
            "k_hidden": torch.stack([inside["k_hidden"] for inside in found], dim=1),
        }

    @property
    def _scores(self) -> list[Score]:
        return [cast(Score, score) for score in self.heads]

    if TYPE_CHECKING:
        __call__ = forward
