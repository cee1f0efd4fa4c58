"""`saccade bulk`: files of any size, translated or scored by any number of workers."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.bulk_work import ScoringWork, TranslationWork
from saccade.cli.lines import refuse_input_as_output
from saccade.cli.option_group import with_options_of
from saccade.cli.options import (
    Device,
    Ensemble,
    Model,
    OnPairError,
    Overwrite,
    Report,
    ScoresAsJson,
    SourceLanguage,
    TargetLanguage,
    TruncatePairs,
)
from saccade.cli.translation_arguments import TranslationArguments
from saccade.errors import ConfigError

if TYPE_CHECKING:
    import saccade.bulk.run
    import saccade.bulk.work

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Translate or score files of any size, with any number of workers; the same command again continues.",
)

WholeOutput = Annotated[
    Path, typer.Option(help="Write here; what is not whole yet lies beside it, in a folder that ends in .bulk.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, max=4096, help="Processes, each with a model. Default: one for each GPU, or one for all the cores."
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="auto|local|ADDRESS",
        help="Workers are actors of this Ray cluster: the one that runs here, one for this command alone, or another.",
    ),
]
ShardLines = Annotated[
    int | None,
    typer.Option(min=1, help="Lines that a worker takes at once, and a kill can cost; rounded up to whole windows."),
]


@app.command("translate", short_help="Translate a file, line by line.")
@with_options_of(TranslationArguments)
def bulk_translate(
    arguments: TranslationArguments,
    input: Annotated[Path, typer.Argument(metavar="FILE", help="Lines to translate; a plain file.")],
    output: WholeOutput,
    overwrite: Overwrite = False,
    workers: Workers = None,
    ray: RayAddress = None,
    shard_lines: ShardLines = None,
    report: Report = None,
    window: Annotated[int, typer.Option(help="Lines searched together.")] = 16384,
) -> None:
    """Translate a file line by line, with several workers, to what `saccade translate` writes with the same options.

    Whatever stops it, the same command again goes on. Under torchrun and SLURM every process takes its part.
    """
    arguments = replace(arguments, window=window)
    arguments.check()
    outputs = [output] if report is None else [output, report]
    for path in outputs:
        refuse_input_as_output(path, input)
    _run(
        TranslationWork(arguments, input),
        outputs,
        "translated",
        overwrite,
        _launcher(arguments.device, workers, ray, shard_lines),
    )


@app.command("score", short_help="Log-probabilities of the pairs of a file.")
def bulk_score(
    model: Model,
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="Pairs: source TAB target, or JSON lines; or the sources alone.")
    ],
    output: WholeOutput,
    target: Annotated[Path | None, typer.Option(help="Targets, one on each line, where the file has sources.")] = None,
    ensemble: Ensemble = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    overwrite: Overwrite = False,
    workers: Workers = None,
    ray: RayAddress = None,
    shard_lines: ShardLines = None,
    as_json: ScoresAsJson = False,
    truncate: TruncatePairs = False,
    on_error: OnPairError = "stop",
    device: Device = None,
) -> None:
    """Score the pairs of a file with several workers, to what `saccade score` writes with the same options."""
    work = ScoringWork(
        model, ensemble, source_language, target_language, source, target, as_json, truncate, on_error, device
    )
    work.check()
    refuse_input_as_output(output, source, target)
    _run(work, [output], "scored", overwrite, _launcher(device, workers, ray, shard_lines))


def _run(
    work: "saccade.bulk.work.Work",
    outputs: list[Path],
    done: str,
    overwrite: bool,
    launcher: "saccade.bulk.run.Launcher",
) -> None:
    from saccade.bulk.run import run_bulk
    from saccade.serving.problems import Problems

    record = run_bulk(work, outputs, launcher, overwrite=overwrite)
    if summary := Problems(**record.problems).summary(record.lines, done):
        print(summary, file=sys.stderr)


def _launcher(
    device: str | None, workers: int | None, ray: str | None, shard_lines: int | None
) -> "saccade.bulk.run.Launcher":
    """One process or several: by default one for each GPU, unless another program has started one for each."""
    if ray is not None:
        from saccade.bulk.ray_actors import RayActors

        return RayActors(ray, workers, shard_lines)
    import torch

    from saccade.bulk.process_worker import ThisProcess
    from saccade.bulk.processes import Processes, visible_gpus
    from saccade.bulk.ranks import rank

    own = rank()
    count = torch.cuda.device_count() if device in (None, "cuda") else 0
    wanted = workers or (max(count, 1) if own.local is None else 1)
    if wanted == 1:
        return ThisProcess(own, visible_gpus(own, 1, count)[0], shard_lines)
    if device is not None and device.startswith("cuda:"):
        raise ConfigError(f"`--device` must be cuda with several workers, but is {device!r}, which is one GPU.")
    return Processes(wanted, own, count, shard_lines)
