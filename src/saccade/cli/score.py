"""`saccade score`: how probable a model finds what somebody else wrote."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.lines import counting


def score(
    model: Annotated[str, typer.Argument(help="A model folder, a run folder, or the name of a shipped model.")],
    source: Annotated[Path, typer.Option(help="Sources, one a line; or TSV or JSON lines with both sides; or text.")],
    target: Annotated[Path | None, typer.Option(help="Targets, one on each line.")] = None,
    ensemble: Annotated[
        list[str] | None, typer.Option(metavar="MODEL", help="A further model to average with; repeatable.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON lines, with the log-probability of each token.")
    ] = False,
    truncate: Annotated[bool, typer.Option("--truncate", help="Cut lines that are too long for the model.")] = False,
    device: Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")] = None,
) -> None:
    """Print the natural log-probability of each target given its source, or of each line of a language model's text."""
    from saccade.data.parallel_text import every_pair
    from saccade.data.tasks import find_task
    from saccade.serving.translator import load

    translator = load(model, *(ensemble or ()), device=device)
    files = find_task(translator.task).files(source, target)
    with ExitStack() as stack:
        scored = translator.stream_scores(every_pair(files), truncate=truncate)
        for result in counting(scored, "pairs", stack, shown=True):
            if as_json:
                values = {
                    "log_probability": result.log_probability,
                    "tokens": result.tokens,
                    "token_log_probabilities": list(result.token_log_probabilities),
                }
                print(json.dumps(values), flush=True)
            else:
                print(f"{result.log_probability:.6f}", flush=True)
