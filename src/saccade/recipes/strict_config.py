"""Frozen dataclasses from TOML values, strictly.

An unknown key is an error that names the nearest known one, and a value of the wrong type is never converted. TOML has
no null, so the word "none" unsets a key that may be unset.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from saccade.errors import ConfigError, did_you_mean

NONE = "none"
Config = TypeVar("Config")


def read_section(config: type[Config], section: str, given: Mapping[str, Any]) -> Config:
    """One section of a recipe as its dataclass."""
    assert is_dataclass(config)
    hints = get_type_hints(config)
    names = [field.name for field in fields(config)]
    check_keys(f"{section}.", given, names)
    for field in fields(config):
        if field.default is MISSING and field.default_factory is MISSING and field.name not in given:
            raise ConfigError(f"`{section}.{field.name}` must be given, but is missing.")
    values = {name: checked_value(f"{section}.{name}", given[name], hints[name]) for name in names if name in given}
    return config(**values)


def check_keys(prefix: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuses a key that is not known."""
    for key in given:
        if key not in known:
            near = did_you_mean(prefix + key, [prefix + name for name in known])
            raise ConfigError(f"`{prefix}{key}` is no key of a recipe.{near}")


def checked_value(key: str, value: object, annotation: Any) -> Any:
    """The value, if it has the type of the annotation."""
    readings = value.readings() if isinstance(value, CommandLineValue) else [value]
    for reading in readings:
        if reading == NONE and NoneType in get_args(annotation):
            return None
        if isinstance(reading, int) and not -(2**63) <= reading < 2**63:
            raise ConfigError(f"`{key}` must fit into 64 bits, as every whole number in TOML, but is {reading}.")
        try:
            result = TypeAdapter(annotation).validate_python(_hashable(reading), strict=True)
        except ValidationError:
            continue
        if isinstance(result, float) and not math.isfinite(result):
            raise ConfigError(f"`{key}` must be finite, but is {result}.")
        return result
    raise ConfigError(f"`{key}` must be {_in_words(annotation)}, but is {readings[0]!r}.")


@dataclass(frozen=True)
class CommandLineValue:
    """A value given with --set: TOML where it parses as TOML, else the bare text (so `de` needs no quotes)."""

    text: str

    def readings(self) -> list[object]:
        """What it may mean, the likeliest first."""
        try:
            parsed = parse_toml(f"value = {self.text}")
        except ValueError:
            return [self.text]
        return [parsed["value"], self.text] if list(parsed) == ["value"] else [self.text]


def parse_toml(text: str) -> dict[str, Any]:
    """A TOML document; a ValueError for everything that is none, however deep it is nested."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _hashable(value: object) -> object:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


def _in_words(annotation: Any) -> str:
    if get_origin(annotation) in (Union, UnionType):
        return " or ".join(_in_words(part) for part in get_args(annotation))
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(annotation))
    if get_origin(annotation) is tuple:
        return f"a list of which each is {_in_words(get_args(annotation)[0])}"
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: repr(NONE)}
    return words.get(annotation, str(annotation))
