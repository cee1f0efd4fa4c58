"""`saccade improve`: back-translation in rounds, and a small model at the end."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.augment import reporting
from saccade.cli.options import Device, Overrides, TestSource, TestTarget, TrainingTarget, ValidSource, ValidTarget
from saccade.cli.progress import display
from saccade.cli.train import data_given, tell
from saccade.errors import ConfigError
from saccade.memory import keep_freed_memory


def improve(
    source: Annotated[Path | None, typer.Option(help="Training sources.")] = None,
    target: TrainingTarget = None,
    target_text: Annotated[
        Path | None, typer.Option(help="More text of the target language, to translate back.")
    ] = None,
    source_text: Annotated[Path | None, typer.Option(help="More text of the source language: for --rounds 2.")] = None,
    valid_source: ValidSource = None,
    valid_target: ValidTarget = None,
    test_source: TestSource = None,
    test_target: TestTarget = None,
    rounds: Annotated[int, typer.Option(help="How often the text is translated back by a better model.")] = 1,
    sample: Annotated[bool, typer.Option("--sample", help="Draw translations instead of searching for them.")] = False,
    student: Annotated[
        str | None, typer.Option(help="At the end train a small model: small, base, or any recipe. Default: none.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder for all of it.")] = None,
    set: Overrides = None,
    device: Device = None,
) -> None:
    """Train both directions, translate more text back, train again; the same command again continues."""
    if target_text is None or out is None:
        raise ConfigError("`--target-text` and `--out` must be given: text to translate back, and a folder.")
    keep_freed_memory()
    from saccade.decoding.sampling import SamplingConfig
    from saccade.improving.pipeline import Improvement
    from saccade.improving.pipeline import improve as improved

    data = data_given(
        source=source, target=target, valid_source=valid_source, valid_target=valid_target,
        test_source=test_source, test_target=test_target,
    )  # fmt: skip
    asked = Improvement(
        data,
        str(target_text),
        None if source_text is None else str(source_text),
        rounds,
        sampling=SamplingConfig() if sample else None,
        student=student,
        overrides=tuple(set or ()),
    )
    with display() as shown:
        result = improved(asked, out, device=device, listeners=(shown,), watch=reporting(shown), say=_say)
    tell(result)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
