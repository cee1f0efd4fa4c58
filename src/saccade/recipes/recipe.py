"""A recipe: everything a run needs to know, as one frozen value, read strictly from TOML.

    name = "mine"
    summary = "What it is for, in one line."
    based_on = "multi30k"           # optional: start from this recipe, change only what is written below

    [data]                          # saccade.data.config.DataConfig
    [model]                         # architecture = "transformer", and the fields of its config
    [training]                      # saccade.training.config.TrainingConfig
    [decoding]                      # saccade.decoding.beam.BeamConfig
    [fine_tuning]                   # optional: saccade.recipes.fine_tuning.FineTuning, the model to begin from

    [[departures]]                  # where it leaves the paper: what, paper_says, we_do, why
    [[changes]]                     # written by a run that went on with other values: step, key, before, after

An unknown key is an error that names the nearest known one, and a value of the wrong type is never converted. TOML
has no null, so the word "none" unsets a key that may be unset.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from saccade.data.config import DataConfig
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.models.catalogue import ARCHITECTURES, architecture
from saccade.recipes.documents import DEFAULT_ARCHITECTURE, load_document, overridden, shipped_documents
from saccade.recipes.fine_tuning import FineTuning, inherited
from saccade.recipes.keys import check_section_keys
from saccade.recipes.strict_config import NONE, checked_value, read_section
from saccade.training.config import TrainingConfig

Table = TypeVar("Table")


@dataclass(frozen=True)
class Departure:
    """One place where a recipe leaves its paper, and why; docs/departures.md is generated from these."""

    what: str
    paper_says: str
    we_do: str
    why: str


@dataclass(frozen=True)
class Change:
    """A key that a run changed on its way: after `step` steps, from one value to another."""

    step: int
    key: str
    before: int | float | str | None
    after: int | float | str | None

    def __str__(self) -> str:
        before, after = (NONE if value is None else value for value in (self.before, self.after))
        return f"{self.key} is {after} from step {self.step:,} on; it was {before}"


@dataclass(frozen=True)
class Recipe:
    """All settings of a run. `model` is the config of `architecture`, without the vocabulary sizes.

    The settings are those in force; `changes` tells which had other values earlier in the run.
    """

    name: str
    summary: str
    data: DataConfig
    architecture: str
    model: Any
    training: TrainingConfig
    decoding: BeamConfig
    fine_tuning: FineTuning | None = None
    departures: tuple[Departure, ...] = ()
    changes: tuple[Change, ...] = ()

    def with_overrides(self, overrides: Sequence[str]) -> "Recipe":
        """The same recipe with changes such as "training.steps=2000"."""
        return build_recipe(self.document(), overrides)

    def with_absolute_paths(self) -> "Recipe":
        """The same recipe with absolute paths, so that it means the same in any working directory."""
        tuning = None if self.fine_tuning is None else self.fine_tuning.with_absolute_path()
        return replace(self, data=self.data.with_absolute_paths(), fine_tuning=tuning)

    def sections(self) -> dict[str, dict[str, object]]:
        """Every key with its value, by section: what is written, printed and compared."""
        return {
            "data": _values(self.data),
            "model": {"architecture": self.architecture, **_values(self.model)},
            "training": _values(self.training),
            "decoding": _values(self.decoding),
            **({} if self.fine_tuning is None else {"fine_tuning": _values(self.fine_tuning)}),
        }

    def keys(self) -> dict[str, object]:
        """The same, flat: {"training.steps": 2000, ...}."""
        return {f"{section}.{key}": value for section, keys in self.sections().items() for key, value in keys.items()}

    def document(self) -> dict[str, Any]:
        """The mapping that its TOML file parses to: every key resolved, "none" for what is unset."""
        sections = {
            section: {key: NONE if value is None else value for key, value in keys.items()}
            for section, keys in self.sections().items()
        }
        departures = [_values(departure) for departure in self.departures]
        changes = [
            {key: NONE if value is None else value for key, value in _values(change).items()} for change in self.changes
        ]
        top = {"name": self.name, "summary": self.summary}
        return {**top, **sections, "departures": departures, "changes": changes}


def list_recipes() -> dict[str, str]:
    """The shipped recipes by name, each with its summary."""
    return {name: str(document.get("summary", "")) for name, document in shipped_documents().items()}


def load_recipe(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """Reads a shipped recipe by name, or a TOML file, and applies overrides such as "training.steps=2000"."""
    return build_recipe(load_document(name_or_path), overrides)


def build_recipe(document: Mapping[str, Any], overrides: Sequence[str] = ()) -> Recipe:
    """The recipe that a parsed document describes: names are checked first, then types, then values."""
    document = inherited(overridden(document, overrides))
    model = dict(document.get("model", {}))
    chosen = architecture(checked_value("model.architecture", model.pop("architecture", DEFAULT_ARCHITECTURE), str))
    check_section_keys(document, chosen)
    tuning = document.get("fine_tuning")
    recipe = Recipe(
        name=checked_value("name", document.get("name", ""), str),
        summary=checked_value("summary", document.get("summary", ""), str),
        data=read_section(DataConfig, "data", document.get("data", {})),
        architecture=chosen.name,
        model=read_section(chosen.config, "model", model),
        training=read_section(TrainingConfig, "training", document.get("training", {})),
        decoding=read_section(BeamConfig, "decoding", document.get("decoding", {})),
        fine_tuning=read_section(FineTuning, "fine_tuning", tuning) if tuning else None,
        departures=_tables(Departure, "departures", document),
        changes=_tables(Change, "changes", document),
    )
    _check_task(recipe)
    return recipe


def _tables(kind: type[Table], name: str, document: Mapping[str, Any]) -> tuple[Table, ...]:
    """The tables [[name]] of a document."""
    entries = document.get(name, ())
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, Mapping) for entry in entries):
        raise ConfigError(f"`{name}` must be tables ([[{name}]]), but is {entries!r}.")
    return tuple(read_section(kind, name, entry) for entry in entries)


def _check_task(recipe: Recipe) -> None:
    """What no section can check alone: whether the architecture does the task, and the loss suits it."""
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
            "it would give probability to tokens that are not labels. Set it to 0.0."
        )


def _values(config: Any) -> dict[str, object]:
    return {field.name: getattr(config, field.name) for field in fields(config)}
