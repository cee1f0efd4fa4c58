"""What every system of a comparison may spend: time, steps, target tokens or floating point operations."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from saccade.counted import counted
from saccade.errors import ConfigError

Kind = Literal["seconds", "steps", "tokens", "operations"]

_UNITS: dict[str, tuple[Kind, float]] = {
    "s": ("seconds", 1.0),
    "m": ("seconds", 60.0),
    "min": ("seconds", 60.0),
    "h": ("seconds", 3600.0),
    "step": ("steps", 1.0),
    "steps": ("steps", 1.0),
    "tok": ("tokens", 1.0),
    "token": ("tokens", 1.0),
    "tokens": ("tokens", 1.0),
    "flop": ("operations", 1.0),
    "flops": ("operations", 1.0),
}
_EXAMPLES: dict[Kind, str] = {
    "seconds": "10m or 90s (time)",
    "steps": "2000steps",
    "tokens": "5Mtok (target tokens)",
    "operations": "1e15flop",
}
_THOUSANDS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_FORM = re.compile(r"\s*(\d[\d_,]*\.?\d*(?:[eE][+-]?\d+)?)\s*([kMGTP]?)\s*([a-z]+)\s*")


@dataclass(frozen=True)
class Budget:
    """An amount of one kind; `text` is how the user wrote it."""

    kind: Kind
    amount: float
    text: str

    @property
    def words(self) -> str:
        """In words, for the report."""
        match self.kind:
            case "seconds" if self.amount >= 60:
                return f"{self.amount / 60:g} minutes of training"
            case "seconds":
                return f"{self.amount:g} seconds of training"
            case "steps":
                return counted(round(self.amount), "step")
            case "tokens":
                return f"{self.amount:,.0f} target tokens"
            case "operations":
                return f"{self.amount:.3g} floating point operations"


def read_budget(text: str, option: str = "--budget", kinds: Sequence[Kind] = get_args(Kind)) -> Budget:
    """Reads "10m", "90s", "2000 steps", "5Mtok" or "1e15flop"; `option` is what the user calls it."""
    found = _FORM.fullmatch(text)
    if found is not None:
        number, thousands, unit = found.groups()
        if unit in _UNITS:
            kind, size = _UNITS[unit]
            amount = float(number.replace("_", "").replace(",", "")) * _THOUSANDS[thousands] * size
            if 0 < amount < math.inf:
                return Budget(kind, amount, text.strip())
    *examples, last = (_EXAMPLES[kind] for kind in kinds)
    raise ConfigError(
        f"`{option}` must be a number and what it counts, but is {text!r}. Write {', '.join(examples)} or {last}."
    )
