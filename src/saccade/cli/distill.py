"""`saccade distill`: a small model that learns from large ones."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.augment import reporting
from saccade.cli.options import Device, Overrides, TestSource, TestTarget, ValidSource, ValidTarget
from saccade.cli.progress import display
from saccade.cli.train import data_given, tell
from saccade.errors import ConfigError
from saccade.memory import keep_freed_memory


def distill(
    teachers: Annotated[
        list[str],
        typer.Argument(metavar="TEACHER...", help="A model folder, run or shipped model. Several: an ensemble."),
    ],
    source: Annotated[
        Path | None, typer.Option(help="The sources to learn from. Default: the corpus of --student.")
    ] = None,
    target: Annotated[Path | None, typer.Option(help="Their references, for --reference-share.")] = None,
    valid_source: ValidSource = None,
    valid_target: ValidTarget = None,
    test_source: TestSource = None,
    test_target: TestTarget = None,
    student: Annotated[str, typer.Option(help="small, base, or any recipe by name or file.")] = "small",
    reference_share: Annotated[
        float | None, typer.Option(help="How much of the training pairs keeps the references, 0 to 1. Default: none.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the student's run.")] = None,
    set: Overrides = None,
    beam: Annotated[int | None, typer.Option(help="Of the teacher. Default: the model's.")] = None,
    storage: Annotated[str, typer.Option(help="How the student is stored: float32, float16 or int8.")] = "float32",
    device: Device = None,
    engine: Annotated[str, typer.Option(help="What the teacher searches with: torch, ctranslate2 or auto.")] = "torch",
) -> None:
    """Train a small model on what a large one, or several, write for the same sources.

    The same command again continues, in the middle of the teacher's work or of the student's.
    """
    if out is None:
        raise ConfigError("`--out` must be given: the folder for the student's run.")
    keep_freed_memory()
    from saccade.improving.distillation import distill as distilled

    data = data_given(
        source=source, target=target, valid_source=valid_source, valid_target=valid_target,
        test_source=test_source, test_target=test_target,
    )  # fmt: skip
    with display() as shown:
        result = distilled(
            teachers,
            data,
            out,
            student=student,
            reference_share=reference_share,
            overrides=set or (),
            beam=beam,
            device=device,
            engine=engine,
            storage=storage,  # type: ignore[arg-type]  # looked at there
            listeners=(shown,),
            watch=reporting(shown),
            command=shlex.join(["saccade", *sys.argv[1:]]),
        )
    tell(result)
