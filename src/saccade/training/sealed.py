"""Folders of tensors that are either whole or absent: written aside, flushed, sealed with checksums, renamed."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from saccade.errors import FormatError, RunError

FORMAT = 1
STATE = "state.json"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_sealed(folder: Path, tensors: Mapping[str, Mapping[str, Tensor]], state: Mapping[str, Any]) -> None:
    """Writes `<name>.safetensors` for each group of tensors, and state.json with the checksum of everything.

    A reader never sees half a folder: the files go to a hidden neighbour, are flushed to the disk, and the
    neighbour takes the name only then. When anything fails the neighbour is removed, and what was there stays.
    """
    partial = partial_of(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        checksums = {}
        for name, group in tensors.items():
            payload = tensors_to_bytes({key: tensor.contiguous().cpu() for key, tensor in group.items()})
            checksums[f"{name}.safetensors"] = hashlib.sha256(payload).hexdigest()
            _write_flushed(partial / f"{name}.safetensors", payload)
        content = {"format": FORMAT, **state, "files": checksums}
        _write_flushed(partial / STATE, json.dumps({**content, "seal": _seal(content)}, indent=1).encode())
        flush_folder(partial)
        partial.rename(folder)
        flush_folder(folder.parent)
    except OSError as problem:
        shutil.rmtree(partial, ignore_errors=True)
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
    """One group of tensors, after checking its bytes against the checksum in state.json."""
    path = folder / f"{name}.safetensors"
    expected = read_state(folder)["files"].get(path.name)
    try:
        payload = path.read_bytes()
        if hashlib.sha256(payload).hexdigest() != expected:
            raise FormatError(f"{path} must have the checksum that {STATE} names, but is damaged or altered.")
        return dict(tensors_from_bytes(payload))
    except OSError as problem:
        raise FormatError(f"{path} must be readable, but is not: {problem.strerror}.") from problem
    except SafetensorError as problem:
        raise FormatError(f"{path} must be a safetensors file, but is none: {problem}.") from problem


def partial_of(folder: Path) -> Path:
    """Where a folder is written before it gets its name."""
    return folder.with_name(f".{folder.name}.partial")


def flush_folder(folder: Path) -> None:
    """Makes renames and new names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_flushed(path: Path, payload: bytes) -> None:
    with path.open("wb") as file:
        file.write(payload)
        file.flush()
        os.fsync(file.fileno())


def _seal(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
