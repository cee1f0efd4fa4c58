"""What was set for which system: what is not its architecture's default, and what not all systems share."""

from collections.abc import Sequence
from dataclasses import MISSING, fields

from saccade.models.catalogue import architecture
from saccade.recipes.recipe import Recipe

_SHARED = ("training.", "decoding.", "data.")
_COUNTED = ("training.seed", "training.steps", "training.minutes", "training.warmup", "training.validate_every")
"""What follows from the budget, or is counted."""


def own_settings(recipe: Recipe) -> dict[str, object]:
    """The settings of the model that are not the defaults of its architecture."""
    known = {
        field.name: field.default
        for field in fields(architecture(recipe.architecture).config)
        if field.default is not MISSING
    }
    return {
        name: value
        for key, value in recipe.keys().items()
        if key.startswith("model.")
        and (name := key.removeprefix("model.")) != "architecture"
        and value != known.get(name, MISSING)
    }


def differences(recipes: Sequence[tuple[str, Recipe]]) -> dict[str, dict[str, object]]:
    """The keys of training, search and data in which systems differ: the value of each, by label."""
    keys = {label: recipe.keys() for label, recipe in recipes}
    names = dict.fromkeys(name for own in keys.values() for name in own if name.startswith(_SHARED))
    found = {name: {label: own.get(name) for label, own in keys.items()} for name in names if name not in _COUNTED}
    return {name: values for name, values in found.items() if len({str(value) for value in values.values()}) > 1}
