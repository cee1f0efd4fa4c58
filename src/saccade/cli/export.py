"""`saccade export`: a model for another program. `saccade shortlist`: what makes that program faster."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.errors import ConfigError


def export(
    model: Annotated[str, typer.Argument(help="A model folder, a run folder, or the name of a shipped model.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    to: Annotated[str, typer.Option(help="The program that will read it: ctranslate2.")] = "ctranslate2",
    storage: Annotated[str, typer.Option(help="int8 (smallest, fastest), int16 or float32 (exact).")] = "int8",
) -> None:
    """Write a model in the format of another program."""
    from saccade.interop import ctranslate2
    from saccade.serving.bundle import Bundle, model_folder

    if to != "ctranslate2":
        raise ConfigError(f"`--to` must be ctranslate2, but is {to!r}.")
    if storage not in ctranslate2.FORMS:
        raise ConfigError(f"`--storage` must be one of {', '.join(ctranslate2.FORMS)}, but is {storage!r}.")
    ctranslate2.export(Bundle.load(model_folder(model)), out, storage)
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
