"""Attention by other rules than it was trained with, to stand in the places of attentions in a copy of a model."""

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
from saccade.attention.single_query import Attention, Sight
from saccade.attention.window import WindowAttention
from saccade.errors import ConfigError
from saccade.layers.tape import Reader


@dataclass(frozen=True)
class Rule:
    """What is otherwise.

    Attributes:
        score: what finds scores instead; None: what did.
        scaled: whether a score keeps the factor it has.
        factor: one more factor on scores.
        causal: whether a causal mask stays.
        without: the head that puts out zeros.
    """

    score: Literal["dot", "cosine"] | None = None
    scaled: bool = True
    factor: float = 1.0
    causal: bool = True
    without: int | None = None


class Supposed(MultiHeadAttention):
    """Multi-head attention by another rule, with the matrices of the one it stands in for."""

    def __init__(self, original: MultiHeadAttention, rule: Rule) -> None:
        heads, bias = original.heads, original.query.bias is not None
        keys, values = original.key.out_features // heads, original.value.out_features // heads
        super().__init__(original.query.in_features, heads, keys, values, bias=bias)
        for name in ("query", "key", "value", "output"):
            setattr(self, name, getattr(original, name))
        self.rule = rule

    def mix(
        self, queries: Float[Tensor, "batch heads query key_width"], memory: KeysValues, visibility: Visibility
    ) -> Float[Tensor, "batch query width"]:
        """Each query's mixture, step by step."""
        rule = self.rule
        keys = memory.keys
        if rule.score == "cosine":
            scores = functional.normalize(queries, dim=-1) @ functional.normalize(keys, dim=-1).transpose(-2, -1)
        else:
            scores = queries @ keys.transpose(-2, -1)
        scaled = rule.scaled and rule.score is None
        scale = rule.factor * (queries.shape[-1] ** -0.5 if scaled else 1.0)
        seen = self._seen(queries, keys, visibility)
        weights = softmax_where((scores * scale).flatten(0, 1), seen.repeat_interleave(self.heads, 0)).view_as(scores)
        context = weights @ memory.values
        if rule.without is not None:
            context = context.index_fill(1, torch.tensor(rule.without, device=context.device), 0.0)
        joined = context.transpose(1, 2).flatten(2)
        projected: Tensor = self.output(joined)
        if watch := watcher(self):
            told = {**self._told(queries, memory, visibility), "mask": seen, "scale": scale}
            told["score"] = rule.score or ("scaled-dot" if scaled else "dot")
            told["causal"] = visibility.causal and rule.causal
            told["off"] = rule.without
            watch(**told, scores=scores, weights=weights, context=context, concat=joined, out=projected)
        return projected

    def _seen(self, queries: Tensor, keys: Tensor, visibility: Visibility) -> Bool[Tensor, "batch query key"]:
        rule = Visibility(visibility.keys, visibility.causal and self.rule.causal, visibility.window, visibility.apart)
        count, length = queries.shape[-2], keys.shape[-2]
        seen = rule.dense(count, length, queries.device)
        if seen is None:
            return queries.new_ones(len(queries), count, length, dtype=torch.bool)
        return seen.expand(len(queries), -1, -1)


class Tempered(Score):
    """The scores of another, times a factor."""

    def __init__(self, original: Score, factor: float) -> None:
        super().__init__()
        self.original, self.factor = original, factor
        self.name = original.name

    @property
    def scale(self) -> float:
        """Its own factor, and the one of the other."""
        return self.original.scale * self.factor

    def prepared(self, keys: Float[Tensor, "batch key key_width"]) -> Float[Tensor, "batch key prepared_width"]:
        """What the other prepares."""
        return self.original.prepared(keys)

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
        """What is inside the other."""
        return self.original.inside(queries, prepared)


class Silent(Attention):
    """Looks, and brings nothing back."""

    def forward(
        self, queries: Float[Tensor, "batch query query_width"], sight: Sight, positions: Int[Tensor, "#batch query"]
    ) -> Float[Tensor, "batch query value_width"]:
        """Zeros, wherever it looked."""
        nothing = queries.new_zeros(*queries.shape[:2], sight.values.shape[-1])
        scores = self.score(queries, sight.prepared)
        weights = self.alignment(scores, sight.real, queries, positions)
        if watch := watcher(self):
            own = {"context": nothing.unsqueeze(1), "off": 0}
            watch(weights=weights.unsqueeze(1), rest=lambda: {**self._told(queries, sight, positions, scores), **own})
        return nothing


def stand_in(module: nn.Module, rule: Rule) -> nn.Module | None:
    """What is to stand in the place of an attention for the rule to hold; None where that would change nothing."""
    if isinstance(module, MultiHeadAttention):
        if rule.without is not None and not 0 <= rule.without < module.heads:
            raise ConfigError(f"`what_if.head` must be from 0 to {module.heads - 1}, but is {rule.without}.")
        return Supposed(module, rule)
    if isinstance(module, Reader):
        return _tempered_reader(module, rule.factor) if rule.factor != 1 else None
    if not isinstance(module, Attention | WindowAttention) or not rule.causal:
        return None
    if rule.without is not None:
        return _silent(module, rule.without)
    score = _other_score(module.score, rule)
    if score is None:
        return None
    if isinstance(module, Attention):
        return Attention(score, module.alignment)
    return WindowAttention(score, module.window)


def _tempered_reader(module: Reader, factor: float) -> Reader:
    """A reader of tapes ends its score with a product, so a factor on the score is one on that vector."""
    other = copy.deepcopy(module)
    with torch.no_grad():
        other.vector.mul_(factor)
    return other


def _silent(module: nn.Module, head: int) -> nn.Module | None:
    if head != 0:
        raise ConfigError(f"`what_if.head` must be 0, as this attention has a single one, but is {head}.")
    # With its score wrapped it is not taken for the published attention, for which a model may have a quicker way.
    return Silent(Tempered(module.score, 1.0), module.alignment) if isinstance(module, Attention) else None


def _other_score(score: Score, rule: Rule) -> Score | None:
    if rule.score is not None:
        return Cosine() if rule.score == "cosine" else Dot()
    if not rule.scaled:
        return Dot() if score.name == "scaled-dot" else None
    return Tempered(score, rule.factor)
