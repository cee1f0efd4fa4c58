"""A run that goes on with other settings: which of them may change, and the record of what changed when.

What has been computed must keep its meaning, so a run that has started keeps its model, its data and its way of
learning. When it ends, how often something is done on the way, and how the work is divided may change. The recipe in
the folder always holds the values in force, and a table [[changes]] for each change before.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from saccade.errors import ConfigError
from saccade.recipes.recipe import Change, Recipe, load_recipe
from saccade.recipes.toml import recipe_text, write_recipe
from saccade.runs.run_folder import has_started
from saccade.training.bookkeeping import checkpoints_of

MAY_CHANGE = (
    "training.steps",
    "training.patience",
    "training.minutes",
    "training.validate_every",
    "training.checkpoint_every",
    "training.keep_checkpoints",
    "training.average",
    "training.journal_every",
    "training.accumulate",
    "training.placement",
    "training.recompute",
)
_LISTED = 6
"""How many differences between two recipes an error lists."""


def continued(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe with which the run in the folder goes on: this one, and the record of what it changes.

    Until training has started, the folder takes any recipe.
    """
    path = folder / "recipe.toml"
    if not (path.is_file() and has_started(folder)):
        return replace(recipe, changes=())
    earlier = load_recipe(path)
    old, new = earlier.keys(), recipe.keys()
    differing = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    _refuse([key for key in differing if key not in MAY_CHANGE], old, new, folder)
    taken = steps_taken(recipe, folder)
    if "training.steps" in differing and recipe.training.steps <= taken:
        raise ConfigError(
            f"`training.steps` must be more than {taken:,}, which the run in `{folder}` has taken, but is "
            f"{recipe.training.steps:,}. To leave it as it is: saccade train --out {folder}."
        )
    changes = tuple(Change(taken, key, old[key], new[key]) for key in MAY_CHANGE if key in differing)  # type: ignore[arg-type]
    return replace(recipe, changes=(*earlier.changes, *changes))


def adopt_recipe(recipe: Recipe, folder: Path) -> None:
    """Writes what `continued` returned into the folder."""
    path = folder / "recipe.toml"
    if not (path.is_file() and path.read_bytes() == recipe_text(recipe).encode()):
        write_recipe(recipe, path)


def changes_here(recipe: Recipe, folder: Path) -> list[str]:
    """In words, what changes at the step from which the run in the folder goes on."""
    taken = steps_taken(recipe, folder)
    return [f"{change}." for change in recipe.changes if change.step == taken]


def steps_taken(recipe: Recipe, folder: Path) -> int:
    """The step from which the run in the folder goes on."""
    return max(checkpoints_of(folder, recipe.training).steps(), default=0)


def extended_at(recipe: Recipe) -> int | None:
    """The step after which the run was last given more steps."""
    grown = [change.step for change in recipe.changes if change.key == "training.steps" and _grew(change)]
    return grown[-1] if grown else None


def _grew(change: Change) -> bool:
    return isinstance(change.before, int) and isinstance(change.after, int) and change.after > change.before


def _refuse(keys: list[str], old: dict[str, Any], new: dict[str, Any], folder: Path) -> None:
    if not keys:
        return
    listed = ", ".join(f"{key} ({_shown(old.get(key))} -> {_shown(new.get(key))})" for key in keys[:_LISTED])
    if len(keys) > _LISTED:
        listed += f" and {len(keys) - _LISTED} more"
    raise ConfigError(
        f"the run in `{folder}` must continue with the recipe it began with, but these differ: {listed}. "
        f"Choose another --out, or leave them as they were. What may change is {', '.join(MAY_CHANGE)}."
    )


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
