"""Which systems to compare, as the command line names them: an architecture with settings.

    seq2seq,luong:score=general,input_feeding=false,transformer

are three systems. A setting belongs to the model named before it; it is a key of [model], or of another section
where it says so: `training.clip=5`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.tasks import find_task
from saccade.errors import ConfigError, did_you_mean
from saccade.models.catalogue import ARCHITECTURES, Architecture
from saccade.recipes.documents import SECTIONS


@dataclass(frozen=True)
class SystemSpec:
    """An architecture with settings, each as "key=value"."""

    architecture: str
    settings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name it has in a report."""
        return f"{self.architecture}:{','.join(self.settings)}" if self.settings else self.architecture

    @property
    def slug(self) -> str:
        """The name its folders have."""
        return re.sub(r"[^A-Za-z0-9.]+", "-", self.label).strip("-")

    @property
    def overrides(self) -> list[str]:
        """The settings with the section each belongs to."""
        return [one if one.split(".")[0] in SECTIONS else f"model.{one}" for one in self.settings]

    @property
    def model(self) -> "SystemSpec":
        """The same without what is set for its training: systems that are equal in this have one model."""
        names = ("training.", "decoding.")
        return SystemSpec(self.architecture, tuple(one for one in self.settings if not one.startswith(names)))

    def sets(self, key: str) -> bool:
        """Whether it has a setting of its own for this key, as "section.key"."""
        return any(one.partition("=")[0].strip() == key for one in self.overrides)


def systems_for_task(task: str) -> dict[str, Architecture]:
    """The architectures that can do a task of this name, oldest first."""
    wanted = find_task(task).architectures
    return {name: one for name, one in ARCHITECTURES.items() if one.task == wanted}


def read_system_specs(text: str, task: str) -> tuple[SystemSpec, ...]:
    """Reads a list of models with their settings; all must be able to do the task."""
    named: list[tuple[str, list[str]]] = []
    for part in (part.strip() for part in text.split(",")):
        name, colon, setting = part.partition(":")
        if not colon and "=" in part:
            if not named:
                raise ConfigError(f"`--models` must begin with a model, but begins with {part!r}. Write NAME:{part}.")
            named[-1][1].append(part)
            continue
        named.append((name.strip(), [setting.strip()] if colon else []))
    systems = tuple(SystemSpec(_known(name, task), tuple(settings)) for name, settings in named)
    _check(systems)
    return systems


def read_size(text: str) -> int:
    """Reads a number of parameters: 5M, 800k or 4200000."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kMG]?)\s*", text.replace("_", "").replace(",", ""))
    if found is None or float(found[1]) <= 0:
        raise ConfigError(f"`--parameters` must be a number such as 5M or 800k, but is {text!r}.")
    return round(float(found[1]) * {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}[found[2]])


def _known(name: str, task: str) -> str:
    others = systems_for_task(task)
    if name in ARCHITECTURES and name not in others:
        raise ConfigError(
            f"`--models` must be systems for {task}, but {name!r} is one for {ARCHITECTURES[name].task}. "
            f"Choose from {', '.join(others)}."
        )
    if name not in others:
        raise ConfigError(f"`--models` must be of {', '.join(others)}, but has {name!r}.{did_you_mean(name, others)}")
    return name


def _check(systems: Sequence[SystemSpec]) -> None:
    for spec in systems:
        for setting in spec.settings:
            if "=" not in setting:
                raise ConfigError(f"a setting of a model must be key=value, but {spec.label!r} has {setting!r}.")
    labels = [one.label for one in systems]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ConfigError(f"`--models` must name each system once, but has {twice[0]!r} twice. Leave one out.")
    by_folder: dict[str, str] = {}
    for one in systems:
        other = by_folder.setdefault(one.slug, one.label)
        if other != one.label:
            raise ConfigError(
                f"`--models` must name systems that differ in more than signs, but {other!r} and {one.label!r} would "
                f"both be kept as {one.slug!r}. Write a number in another way, 0.01 for 1e-2."
            )
