"""What if a part of the model were missing or different: the same sentence through a changed copy.

    no-scale             scores are not divided by sqrt(d_k)
    temperature          scores are divided by one more number
    score                scores come from another function without parameters: "dot" or "cosine"
    no-mask              the decoder may see later positions
    head-off             one head outputs zeros
    no-positions         position embeddings are zero
    shuffled-positions   the positions of the source are shuffled

A change of attention may name one block; without one it applies to all of them. The trained model stays as it is:
modules of a copy are replaced, and neither the model nor the replacements need a switch.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from saccade.errors import ConfigError, did_you_mean
from saccade.layers.position import FixedPositions, LearnedPositions
from saccade.models.contract import Transducer
from saccade.special_tokens import EOS, UNK
from saccade.tracing.blocks import identities
from saccade.tracing.forward_passes import ForwardPasses, run
from saccade.tracing.modified_attention import AttentionChange, modified_attention

Name = Literal["no-scale", "temperature", "score", "no-mask", "head-off", "no-positions", "shuffled-positions"]
NAMES: tuple[str, ...] = get_args(Name)


COLDEST, HOTTEST = 0.001, 1000
"""Temperatures; beyond, scores are no longer finite or all weights the same."""
LAST_SEED = 2**32 - 1


def _within(value: object, kinds: type | tuple[type, ...], least: int | float, most: int | float) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most  # type: ignore[operator]


def _shown(value: object) -> str:
    """A value in an error: its beginning is enough. A number may have more digits than Python likes to print."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "a larger number"
    return f"{value!r:.40}"


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """One change to a model.

    Attributes:
        name: which change.
        value: the temperature, the name of the score, or the seed of shuffled positions.
        block: the id of the only block to change; None: all.
        head: the head that is switched off.
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
        if self.name == "temperature" and not _within(self.value, (int, float), COLDEST, HOTTEST):
            raise ConfigError(
                f"`what_if.value` must be a temperature from {COLDEST} to {HOTTEST}, but is {_shown(self.value)}. "
                "Try 2."
            )
        if self.name == "shuffled-positions" and self.value is not None and not _within(self.value, int, 0, LAST_SEED):
            raise ConfigError(
                f"`what_if.value` must be a seed from 0 to {LAST_SEED}, but is {_shown(self.value)}. Try 1."
            )
        if self.name == "score" and self.value not in ("dot", "cosine"):
            raise ConfigError(f"`what_if.value` must be 'dot' or 'cosine', but is {_shown(self.value)}. Choose one.")
        if self.name == "head-off" and (self.block is None or self.head is None):
            raise ConfigError("`what_if` must name a `block` and a `head` to switch off, but does not. Give both.")

    @property
    def attention_change(self) -> AttentionChange:
        """What it changes in an attention module."""
        if self.name == "temperature":
            return AttentionChange(factor=1 / float(self.value or 1))
        if self.name == "score":
            return AttentionChange(score="cosine" if self.value == "cosine" else "dot")
        return {
            "no-scale": AttentionChange(scaled=False),
            "no-mask": AttentionChange(causal=False),
            "head-off": AttentionChange(zeroed_head=self.head),
        }[self.name]

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
        for key, kinds in (("name", str), ("value", (int, float, str)), ("block", str), ("head", int)):
            value = given.get(key)
            if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
                raise ConfigError(f"`what_if.{key}` must be a text or a number, but is {_shown(value)}.")
        return cls(**{"name": "", **given})

    def to_json(self) -> dict[str, Any]:
        """As a trace holds it."""
        return asdict(self)


def changed_model(model: Transducer[Any, Any], what_if: WhatIf, source: Sequence[int]) -> Transducer[Any, Any]:
    """A copy of the model with the change applied, for this source."""
    seen = run(model, source, [UNK, EOS])
    other = copy.deepcopy(model)
    if what_if.name == "no-positions":
        count = _remove_positions(other)
    elif what_if.name == "shuffled-positions":
        count = _shuffle_positions(other, seen, shuffled_order(what_if, len(source)))
    else:
        names = {block: name for name, block in identities(seen, len(source)).items() if not block.endswith("ffn")}
        count = _replace_attention(other, what_if, names, seen)
    if not count:
        raise ConfigError(f"`what_if` {what_if.name!r} must have something to change, but this model has no such part.")
    return other


def shuffled_order(what_if: WhatIf, length: int) -> list[int]:
    """The position whose embedding each token of a source of this length gets."""
    seed = 1 if what_if.value is None else int(what_if.value)
    return [int(place) for place in torch.randperm(length, generator=torch.Generator().manual_seed(seed))]


def _remove_positions(model: nn.Module) -> int:
    tables = [module for module in model.modules() if isinstance(module, FixedPositions | LearnedPositions)]
    for module in tables:
        _set_table(module, torch.zeros_like(module.table))
    return len(tables)


def _shuffle_positions(model: nn.Module, seen: ForwardPasses, places: list[int]) -> int:
    """In the module that adds positions to the source; others stay as they are."""
    names = [record.name for record in seen.encoder.values() if record.has("token", "position")]
    for name in names:
        module = model.get_submodule(name)
        assert isinstance(module, FixedPositions | LearnedPositions)
        _set_table(module, torch.cat([module.table[places], module.table[len(places) :]]))
    return len(names)


def _set_table(module: FixedPositions | LearnedPositions, table: Tensor) -> None:
    module.table = nn.Parameter(table.detach()) if isinstance(module, LearnedPositions) else table


def _replace_attention(model: nn.Module, what_if: WhatIf, names: Mapping[str, str], seen: ForwardPasses) -> int:
    """Replaces attention modules, all of them or the one that is named; returns how many."""
    if what_if.block is not None and what_if.block not in names:
        known = ", ".join(names)
        raise ConfigError(f"`what_if.block` must be one of {known}, but is {what_if.block!r}.")
    wanted = names.values() if what_if.block is None else [names[what_if.block]]
    change = what_if.attention_change
    count = 0
    for name in wanted:
        if change.score is not None:
            _check_widths((seen.encoder | seen.decoder)[name].values)
        other = modified_attention(model.get_submodule(name), change)
        if other is not None:
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, other.eval())
            count += 1
    return count


def _check_widths(recorded: Mapping[str, Any]) -> None:
    """A query and a key can only be multiplied where both have as many numbers."""
    query, keys = recorded.get("query"), recorded.get("keys")
    if query is not None and keys is not None and query.shape[-1] != keys.shape[-1]:
        raise ConfigError(
            f"`what_if` 'score' must compare vectors of one width, but queries have {query.shape[-1]} numbers here and "
            f"keys {keys.shape[-1]}. This model needs a score with a matrix of its own."
        )
