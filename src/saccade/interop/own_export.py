"""Our own export for Hugging Face, read back as the model it was made from, bit for bit.

An import takes such a folder for any other model of Hugging Face: with their epsilon, biases of zeros, and one more
piece to begin with. saccade.json says what it was; as long as the files are as they were written, that is used instead.
"""

from pathlib import Path

from saccade.data.tokenizer import Tokenizer
from saccade.errors import FormatError
from saccade.interop.exported_folder import SEAL, check_export
from saccade.interop.huggingface_export import WEIGHTS
from saccade.interop.huggingface_tokenizer import without_normaliser
from saccade.interop.huggingface_weights import from_huggingface, has_way_back
from saccade.interop.imported_model import ARCHITECTURE, ImportedModel, built
from saccade.json_files import from_json
from saccade.models.catalogue import ARCHITECTURES
from saccade.tensor_files import read_tensor_file


def read_back(folder: Path) -> ImportedModel | None:
    """The model that was exported; None where the folder is not ours, was changed, or holds less than the model had."""
    if not (folder / SEAL).is_file():
        return None
    try:
        about = check_export(folder).model
    except FormatError:
        return None
    if about is None or not (folder / WEIGHTS).is_file():
        return None
    config = from_json(ARCHITECTURES[ARCHITECTURE].config, about["config"])
    files = [folder / f"{side}.spm" for side in ("source", "target")]
    models = [without_normaliser(path.read_bytes()) if path.is_file() else None for path in files]
    if None in models or not has_way_back(config):
        return None
    source, target = (Tokenizer(model, f"{folder}/source.spm") for model in models if model is not None)
    weights = from_huggingface(config, read_tensor_file(folder / WEIGHTS))
    return ImportedModel(
        model=built(config, weights, (source.size, target.size), str(folder)),
        model_config=config,
        source_tokenizer=source,
        target_tokenizer=target if target != source else source,
        decoding=about["decoding"],
        source_language=about["source_language"],
        target_language=about["target_language"],
        origin="an export by saccade itself",
    )
