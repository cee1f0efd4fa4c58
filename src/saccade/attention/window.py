"""Attention over the last few positions of a sequence, the present one excluded: Daniluk et al. 2017.

A query at position t sees the keys at t - L to t - 1. Only those are scored, so the cost is linear in the length.
"""

from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import softmax_where
from saccade.attention.recording import watcher
from saccade.attention.scores import Score


class WindowAttention(nn.Module):
    """A score, and softmax over the last L positions.

    A recording receives its weights as those of one head, with a column for each key that was given.
    """

    def __init__(self, score: Score, window: int) -> None:
        super().__init__()
        self.score = score
        self.window = window

    def forward(
        self,
        queries: Float[Tensor, "batch query width"],
        keys: Float[Tensor, "batch key width"],
        values: Float[Tensor, "batch key value_width"],
        known: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch query value_width"]:
        """What each query takes. There is a key for each query, and before those up to L more, the last `known` real.

        A query that sees nothing takes nothing.
        """
        batch, count, _ = queries.shape
        before = keys.shape[1] - count
        assert 0 <= before <= self.window, "no more than L keys before the first query"
        # Each query is a batch row of its own, with its own L keys.
        around = self._windows(self.score.prepare(keys), before).flatten(0, 1)
        scores = self.score(queries.flatten(0, 1).unsqueeze(1), around)
        weights = softmax_where(scores, self._seen(known, count).flatten(0, 1).unsqueeze(1))
        taken = (weights @ self._windows(values, before).flatten(0, 1)).view(batch, count, -1)
        if watch := watcher(self):
            spread = self._spread(weights.view(batch, count, self.window), before).unsqueeze(1)
            watch(weights=spread, rest=lambda: self._trace(queries, keys, values, known, scores, taken))
        return taken

    def _trace(
        self,
        queries: Float[Tensor, "batch query width"],
        keys: Float[Tensor, "batch key width"],
        values: Float[Tensor, "batch key value_width"],
        known: Int[Tensor, " batch"],
        scores: Float[Tensor, "windows 1 window"],
        taken: Float[Tensor, "batch query value_width"],
    ) -> dict[str, Any]:
        batch, count, _ = queries.shape
        before = keys.shape[1] - count
        seen = self._seen(known, count).expand(batch, -1, -1)
        told = {"query": queries, "keys": keys, "values": values, "context": taken}
        told["scores"] = self._spread(scores.view(batch, count, self.window) * seen / self.score.scale, before)
        return {
            **{name: vectors.unsqueeze(1) for name, vectors in told.items()},
            "mask": self._spread(seen.to(scores.dtype), before) > 0,
            "score": self.score.name,
            "scale": self.score.scale,
            "causal": True,
            "latest": True,
        }

    def _windows(
        self, states: Float[Tensor, "batch key width"], before: int
    ) -> Float[Tensor, "batch query window width"]:
        """For each query the L positions before it; its own position, and so the last of all, is in no window."""
        filled = functional.pad(states, (0, 0, self.window - before, -1))
        return filled.unfold(1, self.window, 1).transpose(2, 3)

    def _seen(self, known: Int[Tensor, " batch"], count: int) -> Bool[Tensor, "batch query window"]:
        """Real are, counted from L places before the first query, all places from L - known on."""
        return self._places(count, known.device) >= (self.window - known).view(-1, 1, 1)

    def _spread(self, weights: Float[Tensor, "batch query window"], before: int) -> Float[Tensor, "batch query key"]:
        """The same weights, each in the column of its key."""
        batch, count, _ = weights.shape
        places = self._places(count, weights.device).expand(batch, -1, -1)
        spread = weights.new_zeros(batch, count, self.window + count).scatter(2, places, weights)
        return spread[:, :, self.window - before :]

    def _places(self, count: int, device: torch.device) -> Int[Tensor, "query window"]:
        """Which places each query may see."""
        return torch.arange(count, device=device).unsqueeze(1) + torch.arange(self.window, device=device)

    if TYPE_CHECKING:
        __call__ = forward
