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
from torch import Tensor, nn

from saccade.errors import ConfigError, did_you_mean
from saccade.explorer.blocks import identities
from saccade.explorer.modified_attention import Rule, stand_in
from saccade.explorer.passes import Passes, run
from saccade.layers.position import FixedPositions, LearnedPositions
from saccade.models.contract import Transducer
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
    def rule(self) -> Rule:
        """What it says of attention."""
        if self.name == "temperature":
            return Rule(factor=1 / float(self.value or 1))
        if self.name == "score":
            return Rule(score="cosine" if self.value == "cosine" else "dot")
        return {
            "no-scale": Rule(scaled=False),
            "no-mask": Rule(causal=False),
            "head-off": Rule(without=self.head),
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
                raise ConfigError(f"`what_if.{key}` must be a text or a number, but is {value!r}.")
        return cls(**{"name": "", **given})

    def to_json(self) -> dict[str, Any]:
        """As a trace holds it."""
        return asdict(self)


def changed(model: Transducer[Any, Any], what_if: WhatIf, source: Sequence[int]) -> Transducer[Any, Any]:
    """A copy of the model in which the supposition holds for this source."""
    seen = run(model, source, [UNK, EOS])
    other = copy.deepcopy(model)
    if what_if.name == "no-positions":
        count = _no_places(other)
    elif what_if.name == "shuffled-positions":
        count = _dealt_places(other, seen, order(what_if, len(source)))
    else:
        names = {block: name for name, block in identities(seen, len(source)).items() if not block.endswith("ffn")}
        count = _other_attention(other, what_if, names, seen)
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


def _other_attention(model: nn.Module, what_if: WhatIf, names: Mapping[str, str], seen: Passes) -> int:
    """Puts other modules in the places of attentions, all of them or the one that is named."""
    if what_if.block is not None and what_if.block not in names:
        known = ", ".join(names)
        raise ConfigError(f"`what_if.block` must be one of {known}, but is {what_if.block!r}.")
    wanted = names.values() if what_if.block is None else [names[what_if.block]]
    rule = what_if.rule
    count = 0
    for name in wanted:
        if rule.score is not None:
            _check_widths((seen.encoder | seen.decoder)[name].what)
        other = stand_in(model.get_submodule(name), rule)
        if other is not None:
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, other.eval())
            count += 1
    return count


def _check_widths(told: Mapping[str, Any]) -> None:
    """A query and a key can only be multiplied where both have as many numbers."""
    query, keys = told.get("query"), told.get("keys")
    if query is not None and keys is not None and query.shape[-1] != keys.shape[-1]:
        raise ConfigError(
            f"`what_if` 'score' must compare vectors of one width, but queries have {query.shape[-1]} numbers here and "
            f"keys {keys.shape[-1]}. This model needs a score with a matrix of its own."
        )
