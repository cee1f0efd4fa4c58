"""Model folders as engines read them, converted once and kept in the user's cache, never in the model folder.

A conversion has the name of what it was made from: the checksum of the model folder and the version of the program
that reads it. It appears whole or not at all. The cache keeps the KEPT that were used last.
"""

import os
import shutil
import tempfile
from pathlib import Path

import torch

from saccade.errors import ConfigError
from saccade.interop.ctranslate2 import Form, export, obstacle, require
from saccade.serving.bundle import Bundle
from saccade.serving.ctranslate2_engine import Ctranslate2Engine

KEPT = 8
# Raised when `export` writes something else than before, so that no older conversion is taken for a new one.
REVISION = 1


def ctranslate2_engine(bundle: Bundle, *, form: Form = "int8", workers: int | None = None) -> Ctranslate2Engine:
    """The engine that runs this model in CTranslate2, on as many workers as torch would use threads."""
    reason = obstacle(bundle.architecture, bundle.model_config)
    if reason is not None:
        raise ConfigError(reason)
    with tempfile.TemporaryDirectory() as elsewhere:
        folder = _converted(bundle, form, Path(elsewhere))
        return Ctranslate2Engine(
            folder,
            (bundle.source_tokenizer, bundle.target_tokenizer),
            form=form,
            workers=workers or torch.get_num_threads(),
            maximum_length=bundle.model.maximum_length,
            always=0 if bundle.shortlist is None else len(bundle.shortlist.always),
        )


def _converted(bundle: Bundle, form: Form, elsewhere: Path) -> Path:
    """The folder of the conversion; in `elsewhere`, gone soon, where there is nothing to name it by or no cache."""
    if bundle.digest is None:
        return _convert(bundle, form, elsewhere / "model")
    library = _library()
    folder = library / f"{bundle.digest[:32]}-{require().__version__}-{form}-{REVISION}"
    try:
        library.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            # Several processes may do this at the same time, each aside; the first to finish gives its folder the name.
            aside = _convert(bundle, form, library / f".{folder.name}.{os.getpid()}")
            try:
                aside.rename(folder)
            except OSError:
                shutil.rmtree(aside, ignore_errors=True)
        os.utime(folder)
    except OSError:
        return _convert(bundle, form, elsewhere / "model")
    _forget_all_but_the_latest(library)
    return folder


def _convert(bundle: Bundle, form: Form, folder: Path) -> Path:
    export(
        folder,
        model=bundle.model,
        architecture=bundle.architecture,
        model_config=bundle.model_config,
        tokenizers=(bundle.source_tokenizer, bundle.target_tokenizer),
        form=form,
        # Equality with the plain search is what float32 is for.
        shortlist=None if form == "float32" else bundle.shortlist,
    )
    return folder


def _forget_all_but_the_latest(library: Path) -> None:
    folders = [folder for folder in library.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _library() -> Path:
    cache = Path(os.environ.get("SACCADE_CACHE") or Path.home() / ".cache" / "saccade").expanduser()
    return cache / "engines" / "ctranslate2"
