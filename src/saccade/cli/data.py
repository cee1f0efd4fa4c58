"""`saccade data`: corpora to list, fetch, clean and prepare."""

import sys
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.inspect import table
from saccade.cli.options import EncodingWorkers, ReportAsJson
from saccade.errors import ConfigError

app = typer.Typer(
    help="Corpora: list what is known, fetch one, clean one, prepare one for training.",
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
    workers: EncodingWorkers = None,
) -> None:
    """Learn the pieces of a corpus and write it as token ids, as `saccade train` does before it trains."""
    from saccade.data.prepare import prepare
    from saccade.recipes.recipe import load_recipe

    data = load_recipe(recipe, set or ()).data
    print(prepare(data, out, say_progress, workers=workers).report.text(data.does))


@app.command("clean", short_help="Leave out what harms training, and say why.")
def clean_corpus(
    source: Annotated[Path, typer.Argument(help="The source sides; or both, as source TAB target or .jsonl.")],
    target: Annotated[Path | None, typer.Argument(help="The target sides.")] = None,
    out: Annotated[Path, typer.Option(help="The folder to write: files of the same names, and report.json.")] = ...,  # type: ignore[assignment]
    source_language: Annotated[
        str | None, typer.Option(help="Default: what the file's name ends with. none: not looked at.")
    ] = None,
    target_language: Annotated[str | None, typer.Option(help="The same for the target.")] = None,
    max_length: Annotated[int, typer.Option(help="Letters of a side; one of Chinese counts as three.")] = 1_000,
    max_ratio: Annotated[float, typer.Option(help="Letters of the longer side for one of the shorter.")] = 3.0,
    max_word: Annotated[int, typer.Option(help="Letters of a word.")] = 60,
    repeats: Annotated[int, typer.Option(help="Pairs that may have the same source, or the same target.")] = 50,
    numbers: Annotated[bool, typer.Option("--numbers", help="Leave out pairs whose numbers differ.")] = False,
    removed: Annotated[bool, typer.Option("--removed", help="Also write what was left out: removed.tsv.")] = False,
    json: ReportAsJson = False,
) -> None:
    """Clean a corpus: repair its lines, leave out pairs that would harm training, and report what went and why."""
    from saccade.data.clean import clean
    from saccade.data.pair_filters import CleaningConfig
    from saccade.data.parallel_text import PairFiles

    first, second = _language(source_language, source), _language(target_language, target)
    if {first, second, source_language, target_language} == {None}:
        print("The languages are not looked at: no file's name ends with one. Give --source-language.", file=sys.stderr)
    config = CleaningConfig(first, second, max_length, max_ratio, max_word, repeats, numbers)
    report = clean(PairFiles(source, target), out, config, say_progress, keep_removed=removed)
    print(dumps(asdict(report), ensure_ascii=False) if json else report)


def _language(given: str | None, path: Path | None) -> str | None:
    """The language of a side: what was given, or what the name of its file ends with."""
    from saccade.data.language_identification import is_known, language_in_name

    if given is None:
        return language_in_name(path) if path else None
    if given == "none":
        return None
    if not is_known(given):
        raise ConfigError(f"the language must be one that can be told apart, such as en, but is {given!r}. Write none.")
    return given


_said: dict[str, int] = {}


def say_progress(message: str, done: int, total: int | None) -> None:
    """A line on standard error, rewritten in place on a terminal, and printed once for each stage elsewhere."""
    share = f" {100 * done // total} %" if total and total > 1 else ""
    if sys.stderr.isatty():
        end = "\n" if total and done >= total else ""
        print(f"\r\033[K{message}{share}", end=end, file=sys.stderr, flush=True)
    elif _said.setdefault(message, done) == done:
        print(message, file=sys.stderr, flush=True)
