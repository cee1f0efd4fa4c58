"""`saccade export`: a model for another program. `shortlist`, `calibrate`: what can be learned for a model folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Device, Model
from saccade.errors import ConfigError, did_you_mean

PROGRAMS = ("ctranslate2", "huggingface", "onnx")


def export(
    model: Model,
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    to: Annotated[str, typer.Option(help="What will read it: ctranslate2, huggingface or onnx.")] = "ctranslate2",
    storage: Annotated[
        str | None,
        typer.Option(help="int8 (smallest, fastest), int16 or float32 (exact). Default: int8 for ctranslate2."),
    ] = None,
) -> None:
    """Write a model in the format of another program."""
    from saccade.interop import ctranslate2
    from saccade.serving.bundle import Bundle
    from saccade.serving.config_file import CARD
    from saccade.serving.model_names import model_folder

    if to not in PROGRAMS:
        raise ConfigError(f"`--to` must be one of {', '.join(PROGRAMS)}, but is {to!r}.{did_you_mean(to, PROGRAMS)}")
    forms = ctranslate2.FORMS if to == "ctranslate2" else ("float32",)
    if storage is None:
        storage = "int8" if to == "ctranslate2" else "float32"
    if storage not in forms:
        raise ConfigError(f"`--storage` must be one of {', '.join(forms)} for {to}, but is {storage!r}.")
    folder = model_folder(model)
    trained = Bundle.load(folder)
    if to == "ctranslate2":
        ctranslate2.export(trained, out, storage)
    else:
        from saccade.interop import huggingface_export, onnx

        card = (folder / CARD).read_text("utf-8", "replace") if (folder / CARD).is_file() else ""
        (huggingface_export if to == "huggingface" else onnx).export(trained, out, card)
    print(f"{out}: {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB in {storage}")


def shortlist(
    model: Annotated[str, typer.Argument(help="A model folder or a run folder; the shortlist is put into it.")],
    source: Annotated[Path, typer.Option(help="Source lines the model was trained on (.gz and .xz too).")],
    target: Annotated[Path | None, typer.Option(help="Their translations. Default: both are in one file.")] = None,
) -> None:
    """Learn which target pieces a source calls for, so that CTranslate2 need not score the whole vocabulary."""
    from saccade.data.parallel_text import PairFiles
    from saccade.serving.model_names import model_folder
    from saccade.serving.shortlist import teach_shortlist

    folder = model_folder(model)
    print(f"{folder}: {teach_shortlist(folder, PairFiles(source, target))}")


def calibrate(
    model: Annotated[str, typer.Argument(help="A model folder or a run folder; what is learned is put into it.")],
    source: Annotated[list[Path], typer.Option(help="Source lines that the model was not trained on; repeatable.")],
    reference: Annotated[list[Path], typer.Option(help="Their translations, a file for each.")],
    train_source: Annotated[
        list[Path] | None, typer.Option(help="Lines to learn translated names from, too; repeatable.")
    ] = None,
    train_target: Annotated[list[Path] | None, typer.Option(help="Their translations, a file for each.")] = None,
    device: Device = None,
) -> None:
    """Learn from held-out text how sure a model may be, how long its outputs are, and which names are translated."""
    import random

    from saccade.data.reservoir import reservoir
    from saccade.serving.calibrate import NAME_PAIRS, calibrate
    from saccade.serving.model_names import model_folder

    folder = model_folder(model)
    held_out = list(_pairs(source, reference, ("--source", "--reference")))
    training = _pairs(train_source or [], train_target or [], ("--train-source", "--train-target"))
    names_from = reservoir(training, NAME_PAIRS, random.Random(1))
    print(f"{folder}:\n\n{calibrate(folder, held_out, names_from, device=device).calibration.to_markdown()}")


def _pairs(sources: list[Path], targets: list[Path], options: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The pairs of several files, one after another."""
    from saccade.data.corpus_report import CorpusReport
    from saccade.data.parallel_text import PairFiles, read_pairs

    if len(sources) != len(targets):
        raise ConfigError(
            f"`{options[0]}` and `{options[1]}` must come together, but there are {len(sources)} and {len(targets)}. "
            "Name one file of each for every pair of files."
        )
    for pair in zip(sources, targets, strict=True):
        yield from read_pairs(PairFiles(*pair), CorpusReport())
