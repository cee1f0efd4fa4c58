"""Who may attend to whom. True means "may attend", everywhere in saccade, and only this file builds such matrices."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool
from torch import Tensor

from saccade.attention.packed_cpu import SentenceGroups, group_sentences
from saccade.sequences import Packed, Packing, Sequences


@dataclass(frozen=True)
class QueryKeyPacking:
    """Sentences that share a row: a query sees only keys of its own one."""

    queries: Packing
    keys: Packing

    @property
    def visible(self) -> Bool[Tensor, "1 queries keys"]:
        """True where query and key belong to the same sentence; an empty slot belongs to none."""
        queries = self.queries.sentence.unsqueeze(2)
        return (queries == self.keys.sentence.unsqueeze(1)) & (queries >= 0)


@dataclass(frozen=True)
class Visibility:
    """The rule that says which keys a query may see; the restrictions combine.

    keys     True on the keys that exist: padding is invisible (Vaswani et al. 2017 leave this to the reader)
    causal   a query sees no key after its own position (section 3.2.3)
    window   a query sees only keys at most this far from its own position: restricted self-attention (section 4)
    packing  sentences share a row, and a query sees only keys of its own sentence

    Queries are the last positions of the keys when causal or windowed, so that one query with a cache of past keys
    and a whole target at once are the same case.
    """

    keys: Bool[Tensor, "batch key"] | None = None
    causal: bool = False
    window: int | None = None
    packing: QueryKeyPacking | None = None

    @classmethod
    def within(cls, sentences: Sequences | Packed, *, causal: bool = False, window: int | None = None) -> "Visibility":
        """What each token sees of its own sentence. Padding is on the right, where a causal rule hides it anyway."""
        if sentences.packing is not None:
            return cls(causal=causal, window=window, packing=QueryKeyPacking(sentences.packing, sentences.packing))
        return cls(keys=None if causal else sentences.mask, causal=causal, window=window)

    @cached_property
    def groups(self) -> SentenceGroups:
        """The rule for sentences that share a row, sentence by sentence; every layer asks, and it is made once."""
        assert self.packing is not None
        return group_sentences(self.packing.queries, self.packing.keys, self.causal, self.window)

    def dense(self, queries: int, keys: int, device: torch.device) -> Bool[Tensor, "#batch queries keys"] | None:
        """The rule as one matrix for each sentence, or None where every query sees every key."""
        seen = None if self.keys is None else self.keys.unsqueeze(1)
        if self.window is not None or (self.causal and queries > 1):
            near = self._near(queries, keys, device).unsqueeze(0)
            seen = near if seen is None else seen & near
        if self.packing is not None:
            # Neighbours in a row are neighbours in the sentence, so distances within a sentence are what they were.
            seen = self.packing.visible if seen is None else seen & self.packing.visible
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
