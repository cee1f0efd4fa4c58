"""`saccade.load`: models opened by their names, as one Translator."""

from pathlib import Path

from saccade.hardware import choose_device
from saccade.serving.bundle import Bundle
from saccade.serving.model_engines import Precision
from saccade.serving.model_names import model_folder
from saccade.serving.translator import Translator


def load(
    model: str | Path,
    *more: str | Path,
    device: str | None = None,
    engine: str = "torch",
    precision: Precision = "auto",
    source_language: str | None = None,
    target_language: str | None = None,
) -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "torch" is our own search, in float32 unless a `precision` is given: "float16" or "bfloat16" on a GPU,
    which is faster, but a translation may then depend on the lines that are searched with it; "int8" on a CPU that can
    multiply bytes. The engine "auto" is the fastest that can do what is asked: on a CPU our own search, and CTranslate2
    where the compiled library cannot do that, both in int8 for a model that is stored so, unless a precision is given.
    `source_language` and `target_language` are for models of several languages.
    """
    chosen = choose_device(device)
    folders = [model_folder(name) for name in (model, *more)]
    bundles = [Bundle.load(folder, chosen).between(source_language, target_language) for folder in folders]
    return Translator(bundles, chosen, engine, " + ".join(str(name) for name in (model, *more)), precision=precision)
