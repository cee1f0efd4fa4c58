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
    precision: Precision = "float32",
    source_language: str | None = None,
    target_language: str | None = None,
) -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "auto" is the fastest that can do what is asked: on a CPU CTranslate2 in int8 where it can, and torch for
    everything else. "torch" and "ctranslate2" are these. On a GPU, torch also searches in bfloat16, which is faster;
    then a translation may depend on the lines that are searched with it. On an ARM CPU our own search also multiplies
    bytes, with the precision "int8".
    `source_language` and `target_language` are for models of several languages.
    """
    chosen = choose_device(device)
    folders = [model_folder(name) for name in (model, *more)]
    bundles = [Bundle.load(folder, chosen).between(source_language, target_language) for folder in folders]
    return Translator(bundles, chosen, engine, " + ".join(str(name) for name in (model, *more)), precision=precision)
