"""`saccade train`, and the two verbs that look after a run: `verify-resume` and `replay`."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.importing import without_garbage_collection
from saccade.cli.options import (
    Device,
    EncodingWorkers,
    Overrides,
    TestSource,
    TestTarget,
    TrainingTarget,
    ValidSource,
    ValidTarget,
)
from saccade.cli.progress import display
from saccade.errors import ConfigError, InputError
from saccade.memory import keep_freed_memory

if TYPE_CHECKING:
    import saccade.data.config
    import saccade.runs.run_folder
    import saccade.training.journal


def train(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe by name, or a TOML file. None: chosen for you.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run. Default: runs/RECIPE.")] = None,
    source: Annotated[Path | None, typer.Option(help="Training sources; or one file with both sides; or text.")] = None,
    target: TrainingTarget = None,
    valid_source: ValidSource = None,
    valid_target: ValidTarget = None,
    test_source: TestSource = None,
    test_target: TestTarget = None,
    parent: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Fine-tune this model: a folder, a run, or a shipped one's name."),
    ] = None,
    adapters: Annotated[
        int | None, typer.Option(metavar="RANK", help="With --from: train low-rank adapters only, then merge them.")
    ] = None,
    mix_source: Annotated[
        list[Path] | None, typer.Option(help="Further sources to train on, such as old data. Repeatable.")
    ] = None,
    mix_target: Annotated[list[Path] | None, typer.Option(help="Their targets, in the same order.")] = None,
    mix_share: Annotated[
        float | None, typer.Option(help="How much of the training pairs comes from them, 0 to 1. Default: all as is.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="translation, pronunciation, summarisation, forecasting, language-modelling (--source alone), "
            "classification or parsing."
        ),
    ] = None,
    set: Overrides = None,
    storage: Annotated[str, typer.Option(help="How the model is stored: float32, float16 or int8.")] = "float32",
    device: Device = None,
    workers: EncodingWorkers = None,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write curves for TensorBoard into the run's folder as well.")
    ] = False,
) -> None:
    """Train from a recipe, or from two text files alone; the same command again continues where it stopped.

    A run that is stopped or finished goes on with more steps: --out FOLDER --set training.steps=8000. With --from,
    training begins from a model, whose shape and vocabulary stay.
    """
    keep_freed_memory()
    with without_garbage_collection():
        from saccade.runs.run import train as run

    mixed = {"mix_source": mix_source, "mix_target": mix_target}
    given: dict[str, object] = _named(
        source=source,
        target=target,
        valid_source=valid_source,
        valid_target=valid_target,
        test_source=test_source,
        test_target=test_target,
    )
    given |= {key: tuple(map(str, paths)) for key, paths in mixed.items() if paths}
    given |= {key: value for key, value in {"mix_share": mix_share, "task": task}.items() if value is not None}
    if adapters is not None and parent is None:
        raise ConfigError("`--adapters` must come with --from, but does not. Name the model to fine-tune.")
    what, overrides = _what(recipe, given)
    tuning = {"model": parent, "adapters": adapters}
    overrides += [f"fine_tuning.{key}={value}" for key, value in tuning.items() if value is not None]
    folder = out or Path("runs") / (Path(recipe).stem if recipe else "run")
    speaks = os.environ.get("RANK", "0") == "0"  # torchrun starts several of this program; one is enough to listen to
    curves: tuple[saccade.training.journal.Listener, ...] = ()
    if tensorboard and speaks:
        from saccade.training.tensorboard import tensorboard as drawn

        curves = (drawn(folder / "tensorboard"),)
    with display() as shown:
        result = run(
            what,
            folder,
            overrides=[*overrides, *(set or ())],
            device=device,
            listeners=(shown, *curves),
            storage=storage,  # type: ignore[arg-type]  # looked at there
            command=shlex.join(["saccade", *sys.argv[1:]]),
            workers=workers,
        )
    if speaks:
        tell(result)
    elif result.interrupted:
        sys.exit(130)


def tell(result: "saccade.runs.run_folder.RunResult") -> None:
    """Says how a run has ended, and where its model is; ends the program where it was interrupted."""
    print(result.summary)
    if result.interrupted:
        sys.exit(130)  # all is said, so this is not the ending that `main` comments on
    print(f"the model: {result.model}")


def verify_resume(
    recipe: Annotated[str, typer.Argument(help="A recipe by name, or a TOML file.")],
    steps: Annotated[int, typer.Option(help="Steps to train for; the kill comes after more than half of them.")] = 40,
    set: Overrides = None,
    device: Device = None,
) -> None:
    """Train twice, once with a kill in the middle, and check that both end bit for bit alike."""
    keep_freed_memory()
    from saccade.runs.verify_resume import verify_resume as verify

    report = verify(recipe, steps=steps, overrides=tuple(set or ()), device=device)
    print(report)
    if not report.exact:
        raise typer.Exit(1)


def replay(
    folder: Annotated[Path, typer.Argument(help="The folder replay-... that a run left when its loss was not finite.")],
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
) -> None:
    """Take the step again that was not finite, and name the first operation that made it so."""
    from saccade.hardware import choose_device
    from saccade.serving.described_model import build_for_replay
    from saccade.training.nonfinite import replay as look

    if not folder.is_dir():
        raise InputError(f"`folder` must be a replay folder of a run, but there is none at {folder}.")
    if not (folder / "state.json").is_file():
        inside = sorted(path for path in folder.glob("replay-*") if path.is_dir())
        advice = f" Did you mean {inside[-1]}?" if inside else " A run leaves one when its loss is not finite."
        raise InputError(f"`folder` must be a replay folder (replay-...), but {folder} is not.{advice}")
    print(look(folder, partial(build_for_replay, str(folder)), choose_device(device)))


def _what(
    recipe: str | None, given: Mapping[str, object]
) -> tuple["str | saccade.data.config.DataConfig | None", list[str]]:
    """A recipe with files in place of its own, or files alone, or nothing: what was trained before."""
    if recipe is not None:
        files = ["data.corpus=none"] if "source" in given else []
        return recipe, files + [f"data.{key}={_toml(value)}" for key, value in given.items()]
    if not given:
        return None, []
    from saccade.data.config import DataConfig

    return DataConfig(**given), []  # type: ignore[arg-type]


def data_given(**files: Path | None) -> "saccade.data.config.DataConfig":
    """The files that were named, as the section [data] of a recipe."""
    from saccade.data.config import DataConfig

    return DataConfig(**_named(**files))  # type: ignore[arg-type]


def _named(**files: Path | None) -> dict[str, object]:
    """The files that were named, as texts."""
    return {key: str(path) for key, path in files.items() if path is not None}


def _toml(value: object) -> object:
    """A value as `--set` takes it: a list in brackets, anything else bare."""
    return json.dumps(list(value), ensure_ascii=False) if isinstance(value, tuple) else value
