"""A recipe: everything a run needs to know, as one frozen value, read strictly from TOML.

    name = "mine"
    summary = "What it is for, in one line."
    based_on = "multi30k"           # optional: start from this recipe, change only what is written below

    [data]                          # saccade.data.prepare.DataConfig
    [model]                         # architecture = "transformer", and the fields of its config
    [training]                      # saccade.training.config.TrainingConfig
    [decoding]                      # saccade.decoding.beam.BeamConfig

    [[departures]]                  # where it leaves the paper: what, paper_says, we_do, why

An unknown key is an error that names the nearest known one, and a value of the wrong type is never converted. TOML
has no null, so the word "none" unsets a key that may be unset.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from saccade.data.prepare import DataConfig
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError, did_you_mean
from saccade.models.catalogue import ARCHITECTURES, architecture
from saccade.recipes.table3 import table3_family
from saccade.training.config import OPTIMIZER_KEYS, TrainingConfig

SECTIONS = ("data", "model", "training", "decoding")
_TOP = ("name", "summary", "based_on", "departures", *SECTIONS)
DEFAULT_ARCHITECTURE = "transformer"
_NONE = "none"
_PATHS = ("source", "target", "valid_source", "valid_target", "test_source", "test_target")
Config = TypeVar("Config")


@dataclass(frozen=True)
class Departure:
    """One place where a recipe leaves its paper, and why; docs/departures.md is generated from these."""

    what: str
    paper_says: str
    we_do: str
    why: str


@dataclass(frozen=True)
class Recipe:
    """What a run is. `model` is the config that `architecture` asks for, without the vocabulary sizes."""

    name: str
    summary: str
    data: DataConfig
    architecture: str
    model: Any
    training: TrainingConfig
    decoding: BeamConfig
    departures: tuple[Departure, ...] = ()

    def sections(self) -> dict[str, dict[str, object]]:
        """Every key with its value, by section: what is written, printed and compared."""
        return {
            "data": _values(self.data),
            "model": {"architecture": self.architecture, **_values(self.model)},
            "training": _values(self.training),
            "decoding": _values(self.decoding),
        }

    def keys(self) -> dict[str, object]:
        """The same, flat: {"training.steps": 2000, ...}."""
        return {f"{section}.{key}": value for section, keys in self.sections().items() for key, value in keys.items()}


def list_recipes() -> dict[str, str]:
    """The shipped recipes by name, each with its summary."""
    return {name: str(_shipped()[name].get("summary", "")) for name in sorted(_shipped(), key=_by_number)}


def _by_number(name: str) -> list[tuple[int, str]]:
    """Orders heads-4 before heads-16."""
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]


def load_recipe(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """Reads a shipped recipe by name, or a TOML file, and applies overrides such as "training.steps=2000"."""
    return build_recipe(_resolved(name_or_path), overrides)


def build_recipe(document: Mapping[str, Any], overrides: Sequence[str] = ()) -> Recipe:
    """The recipe that a parsed document describes: names checked first, then types, then values."""
    document = _overridden(document, overrides)
    model = dict(document.get("model", {}))
    chosen = architecture(_checked("model.architecture", model.pop("architecture", DEFAULT_ARCHITECTURE), str))
    recipe = Recipe(
        name=_checked("name", document.get("name", ""), str),
        summary=_checked("summary", document.get("summary", ""), str),
        data=_section(DataConfig, "data", document.get("data", {})),
        architecture=chosen.name,
        model=_section(chosen.config, "model", model),
        training=_section(TrainingConfig, "training", document.get("training", {})),
        decoding=_section(BeamConfig, "decoding", document.get("decoding", {})),
        departures=tuple(_section(Departure, "departures", entry) for entry in document.get("departures", ())),
    )
    _fits_its_task(recipe)
    return recipe


def with_overrides(recipe: Recipe, overrides: Sequence[str]) -> Recipe:
    """The same recipe with some keys changed."""
    return build_recipe(as_document(recipe), overrides)


def with_absolute_paths(recipe: Recipe) -> Recipe:
    """The same recipe with its files named from the root, so that it means the same in any folder."""
    return replace(recipe, data=absolute_paths(recipe.data))


def absolute_paths(data: DataConfig) -> DataConfig:
    """The same files, named from the root."""
    given = {name: getattr(data, name) for name in _PATHS if getattr(data, name) is not None}
    named: dict[str, Any] = {name: str(Path(path).expanduser().absolute()) for name, path in given.items()}
    return replace(data, **named)


def as_document(recipe: Recipe) -> dict[str, Any]:
    """The recipe as the mapping its TOML file parses to: every key resolved, "none" for what is unset."""
    sections = {
        section: {key: _NONE if value is None else value for key, value in keys.items()}
        for section, keys in recipe.sections().items()
    }
    departures = [_values(departure) for departure in recipe.departures]
    return {"name": recipe.name, "summary": recipe.summary, **sections, "departures": departures}


def _fits_its_task(recipe: Recipe) -> None:
    """What no section can see for itself: whether the architecture does the task, and the loss suits it."""
    task, chosen = recipe.data.does, architecture(recipe.architecture)
    if chosen.task != task.architectures:
        able = [name for name, known in ARCHITECTURES.items() if known.task == task.architectures]
        raise ConfigError(
            f"`model.architecture` must be one that does {task.name} ({', '.join(able) or 'none does'}), but "
            f"{chosen.name!r} does {chosen.task}. Change it, or `data.task`."
        )
    if task.content == "labelled" and recipe.training.label_smoothing:
        raise ConfigError(
            f"`training.label_smoothing` must be 0.0 for {task.name}, but is {recipe.training.label_smoothing}: "
            "it would give some probability to what is no label. Set it to 0.0."
        )


def _values(config: Any) -> dict[str, object]:
    return {field.name: getattr(config, field.name) for field in fields(config)}


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    documents = dict(table3_family())
    for path in Path(__file__).parent.glob("*.toml"):
        documents[path.stem] = {"name": path.stem, **_parsed(path)}
    return documents


def _resolved(name_or_path: str | Path, below: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document with everything it is based on merged in."""
    document = _found(name_or_path)
    _known_keys("", document, _TOP)
    for section in SECTIONS:
        if not isinstance(document.get(section, {}), Mapping):
            raise ConfigError(f"`{section}` must be a section of the recipe ([{section}]), but is a single value.")
    if "based_on" not in document:
        return document
    base = str(document["based_on"])
    if base in below or base == str(name_or_path):
        raise ConfigError(f"`based_on` must lead to an end, but {base!r} is based on itself.")
    return _merged(_resolved(base, (*below, str(name_or_path))), document)


def _merged(base: Mapping[str, Any], child: Mapping[str, Any]) -> dict[str, Any]:
    """The child's keys over the base's."""
    merged: dict[str, Any] = {key: child[key] for key in ("name", "summary") if key in child}
    for section in SECTIONS:
        merged[section] = _over(base.get(section, {}), child.get(section, {}))
    merged["departures"] = [*base.get("departures", ()), *child.get("departures", ())]
    return merged


def _found(name_or_path: str | Path) -> dict[str, Any]:
    shipped = _shipped()
    if str(name_or_path) in shipped:
        return dict(shipped[str(name_or_path)])
    path = Path(name_or_path)
    if path.is_file():
        return {"name": path.stem, **_parsed(path)}
    if path.suffix == ".toml" or len(path.parts) > 1:
        raise ConfigError(f"`recipe` must be a name or a TOML file, but there is no file {str(name_or_path)!r}.")
    hint = did_you_mean(str(name_or_path), shipped) or " `saccade recipes` lists them."
    raise ConfigError(f"`recipe` must be a shipped recipe or a TOML file, but {str(name_or_path)!r} is neither.{hint}")


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"`{path}` must be a TOML file, but cannot be read as one: {reason}.") from error


def _overridden(document: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    changed = {key: dict(value) if key in SECTIONS else value for key, value in document.items()}
    given: dict[str, dict[str, _Given]] = {}
    for override in overrides:
        key, equals, text = (part.strip() for part in override.partition("="))
        section, dot, name = key.partition(".")
        if not (equals and dot and section in SECTIONS):
            hint = did_you_mean(key, [f"{section}." for section in SECTIONS])
            raise ConfigError(f"`--set` must be section.key=value, but is {override!r}.{hint}")
        given.setdefault(section, {})[name] = _Given(text)
    for section, keys in given.items():
        changed[section] = _over(changed.get(section, {}), keys)
    return changed


def _over(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """One section over another; another architecture or optimizer starts from its own defaults, not the other's."""
    before = inherited.get("architecture", DEFAULT_ARCHITECTURE)
    if "architecture" in own and _named(own["architecture"]) != _named(before):
        inherited = {}
    if "optimizer" in own:
        chosen = _named(own["optimizer"])
        inherited = {key: value for key, value in inherited.items() if chosen in OPTIMIZER_KEYS.get(key, (chosen,))}
    return {**inherited, **own}


def _named(value: object) -> object:
    """What a key asks for, wherever it comes from."""
    return value.readings()[0] if isinstance(value, _Given) else value


@dataclass(frozen=True)
class _Given:
    """A value from the command line: TOML where it parses as TOML, else the bare text (so `de` needs no quotes)."""

    text: str

    def readings(self) -> list[object]:
        try:
            parsed = tomllib.loads(f"value = {self.text}")
        except tomllib.TOMLDecodeError:
            return [self.text]
        return [parsed["value"], self.text] if list(parsed) == ["value"] else [self.text]


def _section(config: type[Config], section: str, given: Mapping[str, Any]) -> Config:
    """Builds one frozen dataclass out of one section."""
    assert is_dataclass(config)
    hints = get_type_hints(config)
    names = [field.name for field in fields(config)]
    _known_keys(f"{section}.", given, names)
    for field in fields(config):
        if field.default is MISSING and field.default_factory is MISSING and field.name not in given:
            raise ConfigError(f"`{section}.{field.name}` must be given, but is missing.")
    return config(**{name: _checked(f"{section}.{name}", given[name], hints[name]) for name in names if name in given})


def _known_keys(prefix: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            near = did_you_mean(prefix + key, [prefix + name for name in known])
            raise ConfigError(f"`{prefix}{key}` is no key of a recipe.{near}")


def _checked(key: str, value: object, annotation: Any) -> Any:
    readings = value.readings() if isinstance(value, _Given) else [value]
    for reading in readings:
        if reading == _NONE and NoneType in get_args(annotation):
            return None
        try:
            return TypeAdapter(annotation).validate_python(_hashable(reading), strict=True)
        except ValidationError:
            continue
    raise ConfigError(f"`{key}` must be {_in_words(annotation)}, but is {readings[0]!r}.")


def _hashable(value: object) -> object:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


def _in_words(annotation: Any) -> str:
    if get_origin(annotation) in (Union, UnionType):
        return " or ".join(_in_words(part) for part in get_args(annotation))
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(annotation))
    if get_origin(annotation) is tuple:
        return f"a list of which each is {_in_words(get_args(annotation)[0])}"
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: repr(_NONE)}
    return words.get(annotation, str(annotation))
