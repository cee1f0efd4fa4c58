"""Recipes as parsed TOML: shipped ones by name, your own by path, merged with what they are based on and with --set."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from saccade.errors import ConfigError, did_you_mean
from saccade.recipes.keys import nearest_key
from saccade.recipes.strict_config import CommandLineValue, check_keys, parse_toml
from saccade.recipes.table3 import table3_family
from saccade.training.config import OPTIMIZER_KEYS

SECTIONS = ("data", "model", "training", "decoding", "fine_tuning")
DEFAULT_ARCHITECTURE = "transformer"
_TOP = ("name", "summary", "based_on", "departures", "changes", *SECTIONS)


@cache
def shipped_documents() -> dict[str, dict[str, Any]]:
    """The recipes of this package by name, in the order of their names (heads-4 before heads-16)."""
    documents = dict(table3_family())
    for path in Path(__file__).parent.glob("*.toml"):
        documents[path.stem] = {"name": path.stem, **_parsed(path)}
    return {name: documents[name] for name in sorted(documents, key=_by_number)}


def load_document(name_or_path: str | Path, based_on_it: tuple[str | Path, ...] = ()) -> dict[str, Any]:
    """The document of a recipe, with everything it is based on merged in.

    A file may be based on another one beside it.
    """
    document = _found(name_or_path)
    check_keys("", document, _TOP)
    for section in SECTIONS:
        if not isinstance(document.get(section, {}), Mapping):
            raise ConfigError(f"`{section}` must be a section of the recipe ([{section}]), but is a single value.")
    if "based_on" not in document:
        return document
    base = str(document["based_on"])
    beside = Path(name_or_path).parent / base
    found = beside if base not in shipped_documents() and beside.is_file() else base
    chain = (*based_on_it, _identity(name_or_path))
    if _identity(found) in chain:
        raise ConfigError(f"`based_on` must not go in a circle, but {base!r} is based on itself.")
    return _merged(load_document(found, chain), document)


def overridden(document: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """The document with changes such as "training.steps=2000"."""
    changed = {key: dict(value) if key in SECTIONS else value for key, value in document.items()}
    given: dict[str, dict[str, CommandLineValue]] = {}
    for override in overrides:
        key, equals, text = (part.strip() for part in override.partition("="))
        section, dot, name = key.partition(".")
        if not (equals and dot and section in SECTIONS):
            hint = nearest_key("", key.rpartition(".")[2]) if equals else ""
            raise ConfigError(
                f"`--set` must be section.key=value, the section one of {', '.join(SECTIONS)}, but is {override!r}."
                f"{hint}"
            )
        given.setdefault(section, {})[name] = CommandLineValue(text)
    for section, keys in given.items():
        changed[section] = _replaced(changed.get(section, {}), keys)
    return changed


def _found(name_or_path: str | Path) -> dict[str, Any]:
    shipped = shipped_documents()
    if str(name_or_path) in shipped:
        return dict(shipped[str(name_or_path)])
    path = Path(name_or_path)
    if path.is_file():
        return {"name": path.stem, **_parsed(path)}
    if path.suffix == ".toml" or len(path.parts) > 1:
        raise ConfigError(f"`recipe` must be a name or a TOML file, but there is no file {str(name_or_path)!r}.")
    hint = did_you_mean(str(name_or_path), shipped) or " `saccade recipes` lists them."
    raise ConfigError(f"`recipe` must be a shipped recipe or a TOML file, but {str(name_or_path)!r} is neither.{hint}")


def _identity(name_or_path: str | Path) -> str | Path:
    """The same for all ways to write the path of a file."""
    return str(name_or_path) if str(name_or_path) in shipped_documents() else Path(name_or_path).resolve()


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(path.read_text(encoding="utf-8"))
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"`{path}` must be a TOML file, but cannot be read as one: {reason}.") from error


def _merged(base: Mapping[str, Any], child: Mapping[str, Any]) -> dict[str, Any]:
    """The child's keys over the base's."""
    merged: dict[str, Any] = {key: child[key] for key in ("name", "summary") if key in child}
    for section in SECTIONS:
        merged[section] = _replaced(base.get(section, {}), child.get(section, {}))
    merged["departures"] = [*base.get("departures", ()), *child.get("departures", ())]
    return merged


def _replaced(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A section with some keys replaced; another architecture or optimizer starts from its own defaults."""
    before = inherited.get("architecture", DEFAULT_ARCHITECTURE)
    if "architecture" in own and _named(own["architecture"]) != _named(before):
        inherited = {}
    if "optimizer" in own:
        chosen = _named(own["optimizer"])
        inherited = {key: value for key, value in inherited.items() if chosen in OPTIMIZER_KEYS.get(key, (chosen,))}
    return {**inherited, **own}


def _named(value: object) -> object:
    """The name that a key holds, from a file or from --set."""
    return value.readings()[0] if isinstance(value, CommandLineValue) else value


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]
