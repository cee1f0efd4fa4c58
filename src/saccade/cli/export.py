"""`saccade export`: a model for another program. `shortlist`, `calibrate`: what can be learned for a model folder."""

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
    from saccade.serving.bundle import CARD, Bundle, model_folder

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
    from saccade.serving.bundle import model_folder
    from saccade.serving.shortlist import teach_shortlist

    folder = model_folder(model)
    print(f"{folder}: {teach_shortlist(folder, PairFiles(source, target))}")


def calibrate(
    model: Annotated[str, typer.Argument(help="A model folder or a run folder; what is learned is put into it.")],
    source: Annotated[Path, typer.Option(help="Source lines that the model was not trained on.")],
    reference: Annotated[Path, typer.Option(help="Their translations.")],
    train_source: Annotated[Path | None, typer.Option(help="Lines to learn translated names from, too.")] = None,
    train_target: Annotated[Path | None, typer.Option(help="Their translations.")] = None,
    device: Device = None,
) -> None:
    """Learn from held-out text how sure a model may be, how long its outputs are, and which names are translated."""
    import random

    from saccade.data.parallel_text import CorpusReport, PairFiles, read_pairs
    from saccade.data.tokenizer import reservoir
    from saccade.serving.bundle import model_folder
    from saccade.serving.calibrate import NAME_PAIRS, calibrate

    if (train_source is None) != (train_target is None):
        raise ConfigError("`--train-source` and `--train-target` must come together, but one is missing.")
    held_out = list(read_pairs(PairFiles(source, reference), CorpusReport()))
    training: list[tuple[str, str]] = []
    if train_source is not None:
        pairs = read_pairs(PairFiles(train_source, train_target), CorpusReport())
        training = reservoir(pairs, NAME_PAIRS, random.Random(1))
    folder = model_folder(model)
    print(f"{folder}:\n\n{calibrate(folder, held_out, training, device=device).calibration.to_markdown()}")
