"""`saccade score`: how probable a model finds what somebody else wrote."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.lines import STANDARD_INPUT, counting, refuse_input_as_output
from saccade.cli.options import (
    Device,
    Ensemble,
    Model,
    OnPairError,
    Output,
    Overwrite,
    ScoresAsJson,
    SourceLanguage,
    TargetLanguage,
    TruncatePairs,
)
from saccade.errors import ConfigError, InputError
from saccade.output_files import OutputFile
from saccade.serving.problems import TRUNCATED, Problems

if TYPE_CHECKING:
    import saccade.serving.translation


def score(
    model: Model,
    pairs: Annotated[
        Path | None,
        typer.Argument(help="A file of pairs: source TAB target, or JSON lines. None or `-`: standard input."),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="Sources, one a line; or TSV or JSON lines with both sides; or text.")
    ] = None,
    target: Annotated[Path | None, typer.Option(help="Targets, one on each line.")] = None,
    ensemble: Ensemble = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    output: Output = None,
    overwrite: Overwrite = False,
    as_json: ScoresAsJson = False,
    truncate: TruncatePairs = False,
    on_error: OnPairError = "stop",
    device: Device = None,
) -> None:
    """Print the natural log-probability of each target given its source, or of each line of a language model's text."""
    from saccade.data.parallel_text import every_pair
    from saccade.data.tasks import find_task
    from saccade.serving.loading import load

    check_on_error(on_error)
    source = _source(pairs, source, target)
    refuse_input_as_output(output, source, target)
    place = OutputFile.of(output, overwrite=overwrite) if output else None
    translator = load(
        model, *(ensemble or ()), device=device, source_language=source_language, target_language=target_language
    )
    translator.check_languages()
    files = find_task(translator.task).files(source, target)
    problems, count = Problems(), 0
    with ExitStack() as stack:
        file = stack.enter_context(place.writing()) if place else None
        scored = translator.stream_scores(
            every_pair(files),
            truncate=truncate,
            on_error=on_error,  # type: ignore[arg-type] # checked above
            stable=True,
        )
        for result in counting(scored, "pairs", stack, shown=True):
            count += 1
            if result.error is not None or result.truncated:
                problems.add(count, result.error.reason if result.error else TRUNCATED)
            if file is None:
                print(score_line(result, as_json), flush=True)
            else:
                file.write(f"{score_line(result, as_json)}\n".encode())
    if summary := problems.summary(count, "scored"):
        print(summary, file=sys.stderr)


def _source(pairs: Path | None, source: Path | None, target: Path | None) -> Path:
    """Where the pairs are, or the sources of the targets."""
    if pairs is not None and (source or target):
        raise InputError("the pairs must be one file, or `--source` and `--target`, but both are given. Leave one out.")
    if source is None and target is not None:
        raise InputError("`--source` must be given with `--target`, but is missing.")
    given = pairs or source
    if given is not None and str(given) != "-":
        return given
    if sys.stdin.isatty():
        print("A source, a tab and its target on each line; Ctrl-D ends.", file=sys.stderr)
    return STANDARD_INPUT


def check_on_error(on_error: str) -> None:
    """A pair is either refused or passed over: there is nothing to copy."""
    if on_error not in ("stop", "skip"):
        raise ConfigError(f"`--on-error` must be stop or skip, but is {on_error!r}.")


def score_line(result: "saccade.serving.translation.Scored", as_json: bool) -> str:
    """A score as a line of output."""
    from saccade.serving.stable_scores import DIGITS

    if as_json:
        return json.dumps(result.to_json(), ensure_ascii=False)
    return "" if result.error is not None else f"{result.log_probability:.{DIGITS}f}"
