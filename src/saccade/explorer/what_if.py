"""What if a part of the model were missing or different: the same sentence through a changed copy.

    no-scale             scores are not divided by sqrt(d_k)
    temperature          they are divided by a number more
    score                they are found by another rule that has no parameters: "dot" or "cosine"
    no-mask              the decoder may see what comes later
    head-off             one head puts out zeros
    no-positions         nothing says where a token stands
    shuffled-positions   the places of the source are dealt out anew

A supposition about attention may name one block; without, it holds for all of them. The model that was trained stays
as it is: parts of a copy are replaced by others that know one rule each, and there is no switch on either.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import softmax_where
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues, MultiHeadAttention
from saccade.attention.recording import watcher
from saccade.errors import ConfigError, did_you_mean
from saccade.explorer.blocks import identities
from saccade.explorer.passes import Passes, run
from saccade.layers.position import FixedPositions, LearnedPositions
from saccade.models.contract import Seq2Seq
from saccade.sequences import EOS, UNK

Name = Literal["no-scale", "temperature", "score", "no-mask", "head-off", "no-positions", "shuffled-positions"]
NAMES: tuple[str, ...] = get_args(Name)


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """One supposition.

    Attributes:
        name: which.
        value: of a temperature the number, of a score its name, of shuffled positions the seed.
        block: the id of the only block it is about; None: all.
        head: the head that is off.
    """

    name: str
    value: int | float | str | None = None
    block: str | None = None
    head: int | None = None

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            known = ", ".join(NAMES)
            raise ConfigError(
                f"`what_if.name` must be one of {known}, but is {self.name!r}.{did_you_mean(self.name, NAMES)}"
            )
        if self.name == "temperature" and not (isinstance(self.value, int | float) and self.value > 0):
            raise ConfigError(f"`what_if.value` must be a temperature above 0, but is {self.value!r}. Try 2.")
        if self.name == "score" and self.value not in ("dot", "cosine"):
            raise ConfigError(f"`what_if.value` must be 'dot' or 'cosine', but is {self.value!r}. Choose one.")
        if self.name == "head-off" and (self.block is None or self.head is None):
            raise ConfigError("`what_if` must name a `block` and a `head` to switch off, but does not. Give both.")

    @property
    def looks_ahead(self) -> bool:
        """Whether a pass over a whole target sees what decoding step by step cannot."""
        return self.name == "no-mask"

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "WhatIf":
        """From an object with these keys and no others."""
        known = [field.name for field in fields(cls)]
        for key in given:
            if key not in known:
                raise ConfigError(f"`what_if` must have only {', '.join(known)}, but has {key!r}.")
        return cls(**{"name": "", **given})

    def to_json(self) -> dict[str, Any]:
        """As a trace holds it."""
        return asdict(self)


@dataclass(frozen=True)
class Rule:
    """How scores are found and what is seen; `factor` multiplies what the scale would be."""

    score: Literal["scaled-dot", "dot", "cosine"] = "scaled-dot"
    factor: float = 1.0
    causal: bool = True
    without: int | None = None

    def scale(self, key_width: int) -> float:
        """What scores are multiplied with before the softmax."""
        return self.factor * (key_width**-0.5 if self.score == "scaled-dot" else 1.0)


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
        scale = rule.scale(queries.shape[-1])
        seen = self._seen(queries, keys, visibility)
        weights = softmax_where((scores * scale).flatten(0, 1), seen.repeat_interleave(self.heads, 0)).view_as(scores)
        context = weights @ memory.values
        if rule.without is not None:
            context = context.index_fill(1, torch.tensor(rule.without, device=context.device), 0.0)
        joined = context.transpose(1, 2).flatten(2)
        projected: Tensor = self.output(joined)
        if watch := watcher(self):
            told = {**self._told(queries, memory, visibility), "mask": seen, "scale": scale, "score": rule.score}
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


def changed(model: Seq2Seq[Any, Any], what_if: WhatIf, source: Sequence[int]) -> Seq2Seq[Any, Any]:
    """A copy of the model in which the supposition holds for this source."""
    seen = run(model, source, [UNK, EOS])
    other = copy.deepcopy(model)
    if what_if.name == "no-positions":
        count = _no_places(other)
    elif what_if.name == "shuffled-positions":
        count = _dealt_places(other, seen, order(what_if, len(source)))
    else:
        count = _other_attention(other, what_if, {block: name for name, block in identities(seen, len(source)).items()})
    if not count:
        raise ConfigError(f"`what_if` {what_if.name!r} must have something to change, but this model has no such part.")
    return other


def order(what_if: WhatIf, length: int) -> list[int]:
    """Which place each token of a source of this length is told to stand at."""
    seed = 1 if what_if.value is None else int(what_if.value)
    return [int(place) for place in torch.randperm(length, generator=torch.Generator().manual_seed(seed))]


def _no_places(model: nn.Module) -> int:
    tables = [module for module in model.modules() if isinstance(module, FixedPositions | LearnedPositions)]
    for module in tables:
        _put(module, torch.zeros_like(module.table))
    return len(tables)


def _dealt_places(model: nn.Module, seen: Passes, places: list[int]) -> int:
    """Of the module that placed the tokens of the source: others stay as they are."""
    names = [part.name for part in seen.encoder.values() if part.tells("token", "position")]
    for name in names:
        module = model.get_submodule(name)
        assert isinstance(module, FixedPositions | LearnedPositions)
        _put(module, torch.cat([module.table[places], module.table[len(places) :]]))
    return len(names)


def _put(module: FixedPositions | LearnedPositions, table: Tensor) -> None:
    module.table = nn.Parameter(table.detach()) if isinstance(module, LearnedPositions) else table


def _other_attention(model: nn.Module, what_if: WhatIf, names: Mapping[str, str]) -> int:
    rule = {
        "no-scale": Rule(score="dot"),
        "temperature": Rule(factor=1 / float(what_if.value or 1) if what_if.name == "temperature" else 1.0),
        "score": Rule(score="cosine" if what_if.value == "cosine" else "dot"),
        "no-mask": Rule(causal=False),
        "head-off": Rule(without=what_if.head),
    }[what_if.name]
    if what_if.block is not None and what_if.block not in names:
        known = ", ".join(names)
        raise ConfigError(f"`what_if.block` must be one of {known}, but is {what_if.block!r}.")
    only = None if what_if.block is None else names[what_if.block]
    count = 0
    for name, module in list(model.named_modules()):
        if not isinstance(module, MultiHeadAttention) or only not in (None, name):
            continue
        if rule.without is not None and not 0 <= rule.without < module.heads:
            raise ConfigError(f"`what_if.head` must be from 0 to {module.heads - 1}, but is {rule.without}.")
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, Supposed(module, rule).eval())
        count += 1
    return count
