"""`saccade train`, and the two verbs that look after a run: `verify-resume` and `replay`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.progress import display

if TYPE_CHECKING:
    pass

_Overrides = Annotated[
    list[str] | None, typer.Option("--set", help="Change a key of the recipe: training.steps=2000. Repeatable.")
]
_Device = Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")]


def train(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe by name, or a TOML file. None: chosen for you.")
    ] = None,
    source: Annotated[Path | None, typer.Option(help="Training sources; or TSV or JSON lines with both sides.")] = None,
    target: Annotated[Path | None, typer.Option(help="Training targets: line n belongs to line n.")] = None,
    valid_source: Annotated[Path | None, typer.Option(help="Validation sources. None: cut from training.")] = None,
    valid_target: Annotated[Path | None, typer.Option(help="Validation targets.")] = None,
    test_source: Annotated[Path | None, typer.Option(help="Test sources, for the final score.")] = None,
    test_target: Annotated[Path | None, typer.Option(help="Test targets.")] = None,
    task: Annotated[str | None, typer.Option(help="What the pairs are: translation or pronunciation.")] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = ...,  # type: ignore[assignment]
    set: _Overrides = None,
    device: _Device = None,
) -> None:
    """Train a model from a recipe or from two text files; the same command again continues where it stopped."""
    from saccade.recipes.run import train as run

    files = {
        "source": source,
        "target": target,
        "valid_source": valid_source,
        "valid_target": valid_target,
        "test_source": test_source,
        "test_target": test_target,
    }
    given = {key: str(path) for key, path in files.items() if path is not None} | ({"task": task} if task else {})
    chosen = _recipe(recipe, given, out, tuple(set or ()), device)
    with display(chosen.training.minutes) as shown:
        result = run(chosen, out, device=device, listeners=(shown,))
    if result.interrupted:
        print(f"stopped, and saved in {out}. Continue with the same command.", file=sys.stderr)
        raise typer.Exit(130)
    print(f"{result.summary}\nThe model: {result.model}")
