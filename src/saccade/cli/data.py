"""`saccade data`: corpora to list, fetch and prepare."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.inspect import table

app = typer.Typer(
    help="Corpora: list what is known, fetch one, prepare one for training.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", short_help="What is known, under which licence, and where it is.")
def list_corpora() -> None:
    """List the corpora of the catalogue, their licences, and where they are now."""
    from saccade.data.catalogue import describe

    rows = [("name", "languages", "train pairs", "where", "what, and its licence")]
    for status in describe():
        corpus = status.corpus
        pairs = corpus.splits.get("train")
        rows.append(
            (
                corpus.name,
                " ".join(corpus.languages),
                "" if pairs is None else f"{pairs:,}",
                status.where,
                f"{corpus.summary} ({corpus.licence})",
            )
        )
    table(rows)
    print(
        "\nlocal: in the folder SACCADE_DATA; cached: fetched before; fetchable: `saccade data fetch NAME` gets it; "
        "missing: put it into the folder SACCADE_DATA.",
        file=sys.stderr,
    )


@app.command("fetch", short_help="Download one, verified, into the cache.")
def fetch_corpus(
    name: Annotated[str, typer.Argument(help="A corpus of the catalogue; `saccade data list` names them.")],
) -> None:
    """Download a corpus, verify it and put it into the cache; continue a download that was interrupted."""
    from saccade.data.catalogue import fetch

    files = fetch(name, say_progress)
    for split, pair in files.splits.items():
        print(f"{split}\t" + "\t".join(str(path) for path in pair.paths))
    corpus = files.corpus
    print(f"{corpus.name}: {corpus.licence}. {corpus.attribution}.", file=sys.stderr)


@app.command("prepare", short_help="Write one as token ids, as `train` does first.")
def prepare_corpus(
    recipe: Annotated[str, typer.Argument(help="A recipe by name, or a TOML file: its section [data].")],
    out: Annotated[Path, typer.Option(help="The folder to write tokenizers and token stores into.")],
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a key: data.vocabulary=4000. Repeatable."),
    ] = None,
) -> None:
    """Learn the pieces of a corpus and write it as token ids, as `saccade train` does before it trains."""
    from saccade.data.prepare import prepare
    from saccade.recipes.recipe import load_recipe

    data = load_recipe(recipe, set or ()).data
    print(prepare(data, out, say_progress).report.text(data.does))


_said: dict[str, int] = {}


def say_progress(message: str, done: int, total: int | None) -> None:
    """A line on standard error, rewritten in place on a terminal, and printed once for each stage elsewhere."""
    share = f" {100 * done // total} %" if total and total > 1 else ""
    if sys.stderr.isatty():
        end = "\n" if total and done >= total else ""
        print(f"\r\033[K{message}{share}", end=end, file=sys.stderr, flush=True)
    elif _said.setdefault(message, done) == done:
        print(message, file=sys.stderr, flush=True)
