"""The keys of each section of a recipe, and for one that is not known the key that was probably meant."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import SequenceMatcher
from typing import Any

from saccade.data.config import DataConfig
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.models.catalogue import ARCHITECTURES, Architecture
from saccade.recipes.fine_tuning import FineTuning
from saccade.training.config import TrainingConfig

_SECTIONS: Mapping[str, type] = {
    "data": DataConfig,
    "training": TrainingConfig,
    "decoding": BeamConfig,
    "fine_tuning": FineTuning,
}
_SIMILAR = 0.6
_AT_HOME = 0.1
"""What counts for a key of the section that was named, against an equally similar one of another."""


def check_section_keys(document: Mapping[str, Any], chosen: Architecture) -> None:
    """Refuses a key that no section of this name has, with the one that was probably meant."""
    for section in (*_SECTIONS, "model"):
        known = set(_names(section, chosen))
        for key in document.get(section, {}):
            if key not in known:
                raise ConfigError(f"`{section}.{key}` is no key of a recipe.{nearest_key(section, key, chosen)}")


def nearest_key(section: str, key: str, chosen: Architecture | None = None) -> str:
    """The closing words of an error about an unknown key: the same name in another section, or the most similar one.

    Without an architecture, the keys of all of them are looked at.
    """
    known = dict.fromkeys((home, name) for home in (*_SECTIONS, "model") for name in _names(home, chosen))
    same = [f"{home}.{name}" for home, name in known if name == key]
    if same:
        return f" Did you mean {' or '.join(map(repr, same))}?"
    likeness = {
        f"{home}.{name}": SequenceMatcher(None, key, name).ratio() + (_AT_HOME if home == section else 0.0)
        for home, name in known
    }
    nearest = max(likeness, key=lambda name: likeness[name])
    return f" Did you mean {nearest!r}?" if likeness[nearest] >= _SIMILAR else ""


def _names(section: str, chosen: Architecture | None) -> Iterator[str]:
    if section != "model":
        yield from (field.name for field in fields(_SECTIONS[section]))
        return
    yield "architecture"
    for one in ARCHITECTURES.values() if chosen is None else (chosen,):
        yield from (field.name for field in fields(one.config))
