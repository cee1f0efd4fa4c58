"""`saccade recipes` and `saccade models`: what the package knows."""

from collections.abc import Sequence
from typing import Annotated

import typer


def recipes(
    name: Annotated[str | None, typer.Argument(help="Print this recipe, every key resolved.")] = None,
) -> None:
    """List the recipes that ship with saccade, or print one."""
    from saccade.recipes.recipe import list_recipes, load_recipe
    from saccade.recipes.toml import recipe_text

    if name is not None:
        print(recipe_text(load_recipe(name)), end="")
        return
    table(list(list_recipes().items()))


def models() -> None:
    """List the trained models inside the package and the architectures that can be trained."""
    from saccade.models.catalogue import ARCHITECTURES
    from saccade.serving.bundle import summary
    from saccade.serving.resolve import shipped_models

    print("Trained models, ready for `saccade translate NAME`:\n")
    table([(name, summary(folder)) for name, folder in shipped_models().items()] or [("none", "in this installation")])
    print("\nArchitectures, for the key `model.architecture` of a recipe:\n")
    table([(name, f"{known.summary} ({known.paper})") for name, known in ARCHITECTURES.items()])


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Prints rows in columns wide enough for what they hold."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(["", *(cell.ljust(width) for cell, width in zip(row, widths, strict=True))]).rstrip())
