"""Attention modules that compute something else than the model was trained with, to replace those of a copy."""

import copy
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import softmax_where
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues, MultiHeadAttention
from saccade.attention.recording import watcher
from saccade.attention.scores import Cosine, Dot, Score
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.attention.window import WindowAttention
from saccade.errors import ConfigError
from saccade.layers.lstmn_tape import Reader


@dataclass(frozen=True)
class AttentionChange:
    """What to change in an attention module.

    Attributes:
        score: another score function; None keeps the original.
        scaled: whether scores keep the factor they have.
        factor: one more factor on scores.
        causal: whether a causal mask stays.
        zeroed_head: the head that outputs zeros.
    """

    score: Literal["dot", "cosine"] | None = None
    scaled: bool = True
    factor: float = 1.0
    causal: bool = True
    zeroed_head: int | None = None


class ModifiedMultiHeadAttention(MultiHeadAttention):
    """Multi-head attention with a change, and the matrices of the module it replaces."""

    def __init__(self, original: MultiHeadAttention, change: AttentionChange) -> None:
        heads, bias = original.heads, original.query.bias is not None
        keys, values = original.key.out_features // heads, original.value.out_features // heads
        # Another score compares the keys themselves, not what the original score prepares of them.
        score = original.score if change.score is None else None
        super().__init__(original.query.in_features, heads, keys, values, bias=bias, score=score)
        for name in ("query", "key", "value", "output"):
            setattr(self, name, getattr(original, name))
        self.change = change

    def mix(
        self, queries: Float[Tensor, "batch heads query key_width"], memory: KeysValues, visibility: Visibility
    ) -> Float[Tensor, "batch query width"]:
        """Scores, weights, context and projection, one after the other."""
        change = self.change
        keys = memory.keys
        if self.score is not None:
            scores = self.score(queries, keys)
        elif change.score == "cosine":
            scores = functional.normalize(queries, dim=-1) @ functional.normalize(keys, dim=-1).transpose(-2, -1)
        else:
            scores = queries @ keys.transpose(-2, -1)
        scaled = change.scaled and change.score is None and self.score is None
        scale = change.factor * (queries.shape[-1] ** -0.5 if scaled else 1.0)
        seen = self._seen(queries, keys, visibility)
        weights = softmax_where((scores * scale).flatten(0, 1), seen.repeat_interleave(self.heads, 0)).view_as(scores)
        context = weights @ memory.values
        if change.zeroed_head is not None:
            context = context.index_fill(1, torch.tensor(change.zeroed_head, device=context.device), 0.0)
        joined = context.transpose(1, 2).flatten(2)
        projected: Tensor = self.output(joined)
        if watch := watcher(self):
            recorded = {**self._trace(queries, memory, visibility), "mask": seen, "scale": scale, "scores": scores}
            recorded["score"] = change.score or ("dot" if not change.scaled else recorded["score"])
            recorded["causal"] = visibility.causal and change.causal
            recorded["off"] = change.zeroed_head
            watch(**recorded, weights=weights, context=context, concat=joined, out=projected)
        return projected

    def _seen(self, queries: Tensor, keys: Tensor, visibility: Visibility) -> Bool[Tensor, "batch query key"]:
        visible = Visibility(
            visibility.keys, visibility.causal and self.change.causal, visibility.window, visibility.packing
        )
        count, length = queries.shape[-2], keys.shape[-2]
        seen = visible.dense(count, length, queries.device)
        if seen is None:
            return queries.new_ones(len(queries), count, length, dtype=torch.bool)
        return seen.expand(len(queries), -1, -1)


class ScaledScore(Score):
    """The scores of another score function, times a factor."""

    def __init__(self, original: Score, factor: float) -> None:
        super().__init__()
        self.original, self.factor = original, factor
        self.name = original.name

    @property
    def scale(self) -> float:
        """The factor of the original, times this one."""
        return self.original.scale * self.factor

    def prepare(self, keys: Float[Tensor, "batch key key_width"]) -> Float[Tensor, "batch key prepared_width"]:
        """What the original prepares."""
        return self.original.prepare(keys)

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key prepared_width"]
    ) -> Float[Tensor, "batch query key"]:
        """The score of every query against every key."""
        lowest = torch.finfo(prepared.dtype).min
        scores: Tensor = self.original(queries, prepared)
        return torch.where(scores > lowest, scores * self.factor, lowest)

    def inside(
        self, queries: Float[Tensor, "batch query query_width"], prepared: Float[Tensor, "batch key prepared_width"]
    ) -> dict[str, Tensor]:
        """The intermediate values of the original."""
        return self.original.inside(queries, prepared)


class ZeroedAttention(Attention):
    """Attention with its usual weights and an output of zeros."""

    weighted_sum = False

    def forward(
        self,
        queries: Float[Tensor, "batch query query_width"],
        source: PreparedKeysValues,
        positions: Int[Tensor, "#batch query"],
    ) -> Float[Tensor, "batch query value_width"]:
        """Zeros, whatever the weights are."""
        nothing = queries.new_zeros(*queries.shape[:2], source.values.shape[-1])
        scores = self.score(queries, source.keys)
        weights = self.alignment(scores, source.real, queries, positions)
        if watch := watcher(self):
            own = {"context": nothing.unsqueeze(1), "off": 0}
            watch(weights=weights.unsqueeze(1), rest=lambda: {**self._trace(queries, source, positions, scores), **own})
        return nothing


def modified_attention(module: nn.Module, change: AttentionChange) -> nn.Module | None:
    """The module that replaces an attention module; None where the change does not apply to it."""
    if isinstance(module, MultiHeadAttention):
        if change.zeroed_head is not None and not 0 <= change.zeroed_head < module.heads:
            raise ConfigError(f"`what_if.head` must be from 0 to {module.heads - 1}, but is {change.zeroed_head}.")
        if module.score is not None and not change.scaled:
            return None
        return ModifiedMultiHeadAttention(module, change)
    if isinstance(module, Reader):
        return _scaled_reader(module, change.factor) if change.factor != 1 else None
    if not isinstance(module, Attention | WindowAttention) or not change.causal:
        return None
    if change.zeroed_head is not None:
        return _zeroed(module, change.zeroed_head)
    score = _other_score(module.score, change)
    if score is None:
        return None
    if isinstance(module, Attention):
        return Attention(score, module.alignment)
    return WindowAttention(score, module.window)


def _scaled_reader(module: Reader, factor: float) -> Reader:
    """The score of a tape reader ends with a product with `vector`, so a factor on the score is one on that vector."""
    other = copy.deepcopy(module)
    with torch.no_grad():
        other.vector.mul_(factor)
    return other


def _zeroed(module: nn.Module, head: int) -> nn.Module | None:
    if head != 0:
        raise ConfigError(f"`what_if.head` must be 0, as this attention has a single one, but is {head}.")
    return ZeroedAttention(module.score, module.alignment) if isinstance(module, Attention) else None


def _other_score(score: Score, change: AttentionChange) -> Score | None:
    if change.score is not None:
        return Cosine() if change.score == "cosine" else Dot()
    if not change.scaled:
        return Dot() if score.name == "scaled-dot" else None
    return ScaledScore(score, change.factor)
