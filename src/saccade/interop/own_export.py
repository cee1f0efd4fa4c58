"""Our own export for Hugging Face, read back as the model it was made from, bit for bit.

An import takes such a folder for any other model of Hugging Face: with their epsilon, biases of zeros, and one more
piece to begin with. saccade.json says what it was; as long as the files are as they were written, that is used instead.

Whoever writes such a file can also compute its seal, so what it says is checked like the description of any download.
"""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from torch import Tensor

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.errors import FormatError
from saccade.interop.exported_folder import SEAL, check_export
from saccade.interop.huggingface_export import WEIGHTS
from saccade.interop.huggingface_tokenizer import without_normaliser
from saccade.interop.huggingface_weights import exported_names, from_huggingface, has_way_back
from saccade.interop.imported_model import ARCHITECTURE, LARGEST_POSITION, ImportedModel, built
from saccade.json_files import StrictContent, checked
from saccade.models.catalogue import ARCHITECTURES
from saccade.tensor_files import read_tensor_file


class _Described(StrictContent):
    """What `huggingface_export.described` keeps of a model."""

    config: dict[str, Any]
    decoding: dict[str, Any]
    source_language: str | None
    target_language: str | None


def read_back(folder: Path) -> ImportedModel | None:
    """The model that was exported; None where the folder is not ours, was changed, or holds less than the model had."""
    if not (folder / SEAL).is_file():
        return None
    try:
        content = check_export(folder).model
    except FormatError:
        return None
    if content is None or not (folder / WEIGHTS).is_file():
        return None
    about = checked(_Described, content, folder / SEAL)
    checked(BeamConfig, about.decoding, folder / SEAL)
    config: Any = checked(ARCHITECTURES[ARCHITECTURE].config, about.config, folder / SEAL)
    files = [folder / f"{side}.spm" for side in ("source", "target")]
    models = [without_normaliser(path.read_bytes()) if path.is_file() else None for path in files]
    if None in models or not has_way_back(config):
        return None
    source, target = (
        Tokenizer(model, str(path)) for path, model in zip(files, models, strict=True) if model is not None
    )
    theirs = read_tensor_file(folder / WEIGHTS)
    _check_sizes(config, theirs, folder)
    try:
        weights = from_huggingface(config, theirs)
    except FormatError as problem:
        raise FormatError(f"`{folder / WEIGHTS}`: {problem}") from problem
    return ImportedModel(
        model=built(config, weights, (source.size, target.size), str(folder)),
        model_config=config,
        source_tokenizer=source,
        target_tokenizer=target if target != source else source,
        decoding=about.decoding,
        source_language=about.source_language,
        target_language=about.target_language,
        origin="an export by saccade itself",
    )


def _check_sizes(config: Any, theirs: Mapping[str, Tensor], folder: Path) -> None:
    """Before anything is made of the sizes that saccade.json names, the tensors of such a model must be there."""
    largest = max(LARGEST_POSITION, *(max(tensor.shape, default=0) for tensor in theirs.values()))
    for field in fields(config):
        value, limit = getattr(config, field.name), len(theirs) if field.name.endswith("layers") else largest
        if isinstance(value, int) and value > limit:
            raise FormatError(
                f"`{folder / SEAL}`: `{field.name}` must be that of the weights, at most {limit}, but is {value}."
            )
    if others := exported_names(config) ^ theirs.keys():
        raise FormatError(
            f"`{folder / WEIGHTS}` must hold the tensors that {SEAL} describes and no others, but differs in "
            f"{min(others)!r:.80} ({len(others)} in all)."
        )
