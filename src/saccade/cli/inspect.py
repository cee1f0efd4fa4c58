"""`saccade recipes` and `saccade models`: what the package knows."""

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import saccade.models.catalogue

_NARROW = 36
"""A column of fewer characters is tiresome to read."""


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
    from saccade.models.catalogue import by_task
    from saccade.serving.model_names import shipped_models, summary

    print("Trained models, ready for `saccade translate NAME`:\n")
    table([(name, summary(folder)) for name, folder in shipped_models().items()] or [("none", "in this installation")])
    print("\nArchitectures, for the key `model.architecture` of a recipe, oldest first:")
    groups = {task: [_described(one) for one in known] for task, known in by_task().items()}
    width = max(len(name) for rows in groups.values() for name, *_ in rows)
    for task, rows in groups.items():
        print(f"\n{task}\n")
        table([(name.ljust(width), *others) for name, *others in rows])


def _described(known: "saccade.models.catalogue.Architecture") -> tuple[str, ...]:
    from saccade.papers import PAPERS

    paper = PAPERS[known.paper]
    return known.name, f"{paper.year}", f"{known.summary} ({paper.names}: {paper.title})"


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Prints rows in columns; a terminal gets the last one wrapped to its width, or below where there is no room."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room, indent = widths[-1], sum(width + 2 for width in widths[:-1]) + 2
    columns = shutil.get_terminal_size().columns - 1
    below = False
    if sys.stdout.isatty() and indent + room > columns:
        below = columns - indent < _NARROW
        indent = 6 if below else indent
        room = columns - indent
    for *cells, last in rows:
        begin = "".join(f"  {cell.ljust(width)}" for cell, width in zip(cells, widths, strict=False)) + "  "
        if below:
            print(begin.rstrip())
            begin = " " * indent
        for line in textwrap.wrap(last, max(room, 1), break_on_hyphens=False) or [""]:
            print((begin + line).rstrip())
            begin = " " * indent
