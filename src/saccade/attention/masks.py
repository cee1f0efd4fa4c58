"""Who may attend to whom. True means "may attend", everywhere in saccade, and only this file builds such matrices."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor


@dataclass(frozen=True)
class Visibility:
    """The rule that says which keys a query may see; the three restrictions combine.

    keys     True on the keys that exist: padding is invisible (Vaswani et al. 2017 leave this to the reader)
    causal   a query sees no key after its own position (section 3.2.3)
    window   a query sees only keys at most this far from its own position: restricted self-attention (section 4)

    Queries are the last positions of the keys when causal or windowed, so that one query with a cache of past keys
    and a whole target at once are the same case.
    """

    keys: Bool[Tensor, "batch key"] | None = None
    causal: bool = False
    window: int | None = None

    def dense(self, queries: int, keys: int, device: torch.device) -> Bool[Tensor, "#batch queries keys"] | None:
        """The rule as one matrix for each sentence, or None where every query sees every key."""
        seen = None if self.keys is None else self.keys.unsqueeze(1)
        if self.window is not None or (self.causal and queries > 1):
            near = self._near(queries, keys, device).unsqueeze(0)
            seen = near if seen is None else seen & near
        return seen

    def _near(self, queries: int, keys: int, device: torch.device) -> Bool[Tensor, "queries keys"]:
        query_positions = torch.arange(keys - queries, keys, device=device).unsqueeze(1)
        distance = query_positions - torch.arange(keys, device=device)
        near = torch.ones(queries, keys, dtype=torch.bool, device=device)
        if self.causal:
            near &= distance >= 0
        if self.window is not None:
            near &= distance.abs() <= self.window
        return near
