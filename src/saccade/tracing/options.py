"""What to trace: search settings, a forced target, a what-if change, and which tensors to include."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.errors import ConfigError, InputError
from saccade.tracing.what_if import WhatIf

DETAILS = (
    "weights",
    "beam",
    "embedding",
    "final",
    "memory",
    "positions",
    "recurrent",
    "influence",
    "shuffle",
    "parameters",
    "all",
)


WIDEST = 64
"""Hypotheses in a beam: the tree of a wider one could neither be drawn nor searched quickly."""
STEEPEST = 10.0
"""The exponent of the length penalty; beyond, only the length of an output would count."""
LONGEST_TEXT = 20_000
"""Characters of a text: many times more than the tokens that a trace may have."""


def checked_text(name: str, text: str) -> None:
    """Refuses a text that is too long to be one sentence, or that holds half of a surrogate pair."""
    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"`{name}` must have at most {LONGEST_TEXT} characters, but has {len(text)}. Give one sentence at a time."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"`{name}` must be Unicode text, but has half of a surrogate pair at character {error.start + 1}. "
            "Remove that character."
        ) from None


@dataclass(frozen=True, kw_only=True)
class TraceOptions:
    """What to trace.

    Attributes:
        size: beam size; None is the one the model was saved with.
        alpha: exponent of the length penalty; None is the one the model was saved with.
        force: a target to trace instead of searching for one.
        prefix: how the target must begin.
        what_if: a change to the model; the search, too, uses the changed model.
        detail: which tensors to include. Weights and masks always are; "block:ID" adds all of one block or layer,
            "embedding", "final", "memory" and the like those parts, "parameters" all matrices, and "all" everything
            but the matrices. "influence" and "shuffle" need passes of their own, and are left out unless asked for.
    """

    size: int | None = None
    alpha: float | None = None
    force: str | None = None
    prefix: str | None = None
    what_if: WhatIf | None = None
    detail: tuple[str, ...] = ("weights",)

    def __post_init__(self) -> None:
        if self.size is not None and not 1 <= self.size <= WIDEST:
            raise ConfigError(f"the beam size must be from 1 to {WIDEST}, but is {self.size}. The paper uses 4.")
        if self.alpha is not None and not 0 <= self.alpha <= STEEPEST:
            raise ConfigError(f"`alpha` must be from 0 to {STEEPEST:g}, but is {self.alpha}. The paper uses 0.6.")
        for name, text in (("force", self.force), ("prefix", self.prefix)):
            if text is not None:
                checked_text(name, text)
        for detail in self.detail:
            if detail not in DETAILS and not detail.startswith("block:"):
                raise ConfigError(f"`detail` must be some of {', '.join(DETAILS)} or block:ID, but has {detail!r}.")

    def includes(self, *details: str) -> bool:
        """Whether one of these is asked for, or everything is."""
        return not {"all", *details}.isdisjoint(self.detail)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "TraceOptions":
        """From a request: decode {size, alpha}, force, prefix, what_if and detail, all of them optional."""
        decode = _checked(given, "decode", dict, "an object") or {}
        what_if = _checked(given, "what_if", dict, "an object")
        alpha = _checked(decode, "alpha", (int, float), "a number")
        detail = _checked(given, "detail", list, "a list of texts") or ["weights"]
        return cls(
            size=_checked(decode, "size", int, "a whole number"),
            alpha=None if alpha is None else float(alpha),
            force=_checked(given, "force", str, "a text"),
            prefix=_checked(given, "prefix", str, "a text"),
            what_if=None if what_if is None else WhatIf.from_json(what_if),
            detail=tuple(str(each) for each in detail),
        )

    def to_json(self) -> dict[str, Any]:
        """In the form that `from_json` reads."""
        return {
            "decode": {"size": self.size, "alpha": self.alpha},
            "force": self.force,
            "prefix": self.prefix,
            "what_if": None if self.what_if is None else self.what_if.to_json(),
            "detail": list(self.detail),
        }


def _checked(given: Mapping[str, Any], key: str, kinds: type | tuple[type, ...], what: str) -> Any:
    """The value of this key, None if it is absent; a value of the wrong type is an error."""
    value = given.get(key)
    if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
        raise ConfigError(f"`{key}` must be {what}, but is {json.dumps(value, default=str)[:40]}. Leave it out.")
    return value
