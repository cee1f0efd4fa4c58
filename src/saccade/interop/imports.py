"""What is to be imported, recognised by its files."""

from pathlib import Path

from saccade.errors import InputError
from saccade.interop.huggingface_import import KINDS, is_huggingface, read_huggingface
from saccade.interop.imported_model import ImportedModel
from saccade.interop.marian_import import is_marian, read_marian
from saccade.interop.own_export import read_back


def read_model(source: Path) -> ImportedModel:
    """The model of another program in this folder, or in this file."""
    if source.is_dir() and is_huggingface(source):
        return read_back(source) or read_huggingface(source)
    if is_marian(source):
        return read_marian(source)
    if cached := sorted(path for path in source.glob("snapshots/*") if is_huggingface(path)):
        raise InputError(f"`source` must be the folder of one snapshot, but is their cache. Name {cached[-1]}.")
    raise InputError(
        f"`source` must be a folder of Hugging Face ({', '.join(KINDS)}) with config.json, or Marian's model.npz or "
        f"its folder, but {source} is neither. Name the folder that was downloaded."
    )
