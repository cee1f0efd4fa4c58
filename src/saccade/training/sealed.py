"""Folders of tensors that are whole or absent, and sealed with checksums."""

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from saccade.errors import FormatError, RunError
from saccade.folders import whole_folder
from saccade.tensor_files import write_tensors

FORMAT = 1
STATE = "state.json"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_sealed(folder: Path, tensors: Mapping[str, Mapping[str, Tensor]], state: Mapping[str, Any]) -> None:
    """Writes `<name>.safetensors` for each group of tensors, and state.json with the checksum of everything.

    A reader never sees half a folder, and when anything fails, what was there stays.
    """
    try:
        with whole_folder(folder) as partial:
            checksums = {}
            for name, group in tensors.items():
                path = partial / f"{name}.safetensors"
                checksums[path.name] = write_tensors(path, group)
            content = {"format": FORMAT, **state, "files": checksums}
            (partial / STATE).write_text(json.dumps({**content, "seal": _seal(content)}, indent=1), encoding="utf-8")
    except OSError as problem:
        reason = "the disk is full" if problem.errno in _FULL else str(problem.strerror)
        raise RunError(f"{folder} could not be written: {reason}.") from problem


def read_state(folder: Path) -> dict[str, Any]:
    """What state.json says, after checking that it is whole and of a format this program knows."""
    path = folder / STATE
    try:
        content = json.loads(path.read_bytes())
        seal = content.pop("seal")
    except OSError as problem:
        raise FormatError(f"{path} must be readable, but is not: {problem.strerror}.") from problem
    except (ValueError, KeyError, AttributeError, TypeError) as problem:
        raise FormatError(f"{path} must be the JSON saccade wrote, but is damaged or altered.") from problem
    if content.get("format", 0) > FORMAT:
        raise FormatError(
            f"{path} must have a format up to {FORMAT}, but has {content['format']}. Use a newer saccade."
        )
    if seal != _seal(content):
        raise FormatError(f"{path} must be the JSON saccade wrote, but is damaged or altered.")
    return dict(content)


def read_tensors(folder: Path, name: str) -> dict[str, Tensor]:
    """One group of tensors, after checking its bytes against the checksum in state.json.

    They are the file itself, mapped into memory: only what is used is read, and several processes share it.
    """
    path = folder / f"{name}.safetensors"
    expected = read_state(folder)["files"].get(path.name)
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != expected:
            raise FormatError(f"{path} must have the checksum that {STATE} names, but is damaged or altered.")
        return dict(load_file(path))
    except OSError as problem:
        raise FormatError(f"{path} must be readable, but is not: {problem.strerror}.") from problem
    except SafetensorError as problem:
        raise FormatError(f"{path} must be a safetensors file, but is none: {problem}.") from problem


def _seal(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
