"""Safetensors files, and sealed folders of them: checkpoints and whatever else training keeps.

    NAME.safetensors    one group of tensors
    state.json          anything else, the SHA-256 of each file, and a seal over all of it

Tensors are written one at a time: the library's own writer needs all of them in memory, while weights sharded over
several processes are better gathered one by one. The bytes are those the library would write.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from saccade.errors import FormatError
from saccade.folders import atomic_folder, check_files, not_written
from saccade.json_files import StrictContent, checked, read_json, read_sealed_json, sealed

FORMAT = 1
STATE = "state.json"
_KINDS = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.int16: "I16",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int32: "I32",
    torch.float32: "F32",
    torch.float64: "F64",
    torch.int64: "I64",
}
_ORDER = list(_KINDS)


class _Checksums(StrictContent):
    """What every state.json holds, whatever else is in it."""

    files: dict[str, str]


def write_sealed(folder: Path, tensors: Mapping[str, Mapping[str, Tensor]], state: Mapping[str, Any]) -> None:
    """Writes `<name>.safetensors` for each group of tensors, and state.json, atomically."""
    try:
        with atomic_folder(folder, written_files) as partial:
            checksums = {}
            for name, group in tensors.items():
                path = partial / f"{name}.safetensors"
                checksums[path.name] = write_tensors(path, group)
            content = sealed({"format": FORMAT, **state, "files": checksums})
            (partial / STATE).write_text(json.dumps(content, indent=1), encoding="utf-8")
    except OSError as problem:
        raise not_written(folder, problem, advice="") from problem  # training knows what to go on from


def read_state(folder: Path) -> dict[str, Any]:
    """What state.json says, after checking its seal and format."""
    return read_sealed_json(folder / STATE, FORMAT)


def read_tensors(folder: Path, name: str) -> dict[str, Tensor]:
    """One group of tensors of a sealed folder, after checking the file against its SHA-256."""
    path = folder / f"{name}.safetensors"
    held = checked(_Checksums, {"files": read_state(folder).get("files")}, folder / STATE)
    check_files(folder, {path.name: held.files.get(path.name, "")})
    return read_tensor_file(path)


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a sealed folder; None where there is no state.json of ours."""
    try:
        state = read_json(folder / STATE, FORMAT)
    except FormatError:
        return None
    files = state.get("files")
    return {STATE, *files} if "seal" in state and isinstance(files, dict) else None


def read_tensor_file(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file.

    They map the file into memory: only what is used is read, and several processes share it.
    """
    try:
        return dict(load_file(path))
    except OSError as problem:
        raise FormatError(f"`{path}` must be readable, but is not: {problem.strerror}.") from problem
    except SafetensorError as problem:
        raise FormatError(f"`{path}` must be a safetensors file, but is not: {problem}.") from problem


def full_tensor(tensor: Tensor) -> Tensor:
    """A sharded tensor (a DTensor) gathered from all processes, each of which must call this; any other as it is.

    DTensor is not imported to ask, since that takes a second or two.
    """
    gather = getattr(tensor, "full_tensor", None)
    return tensor if gather is None else gather()


def sharded_like(other: Tensor, tensor: Tensor) -> Tensor:
    """This process's shard of a full tensor where `other` is sharded, else the tensor; nothing is sent."""
    if not hasattr(other, "full_tensor"):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(other, DTensor)
    return distribute_tensor(tensor.to(other.device), other.device_mesh, other.placements, src_data_rank=None)


def full_tensors(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor gathered, in the order of the file: all processes iterate over this while one of them writes."""
    for name in _names(tensors):
        yield name, full_tensor(tensors[name].detach())


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> str:
    """Writes a safetensors file, with words about it where given, and returns its SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        header = _header(tensors, metadata)
        for part in (len(header).to_bytes(8, "little"), header):
            digest.update(part)
            file.write(part)
        for _, tensor in full_tensors(tensors):
            payload = tensor.contiguous().cpu().reshape(-1).view(torch.uint8).numpy().data
            digest.update(payload)
            file.write(payload)
    return digest.hexdigest()


def _names(tensors: Mapping[str, Tensor]) -> list[str]:
    """Widest data types first, so that each tensor is aligned, then by name."""
    return sorted(tensors, key=lambda name: (-_ORDER.index(tensors[name].dtype), name))


def _header(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> bytes:
    content: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    offset = 0
    for name in _names(tensors):
        tensor = tensors[name]
        end = offset + tensor.numel() * tensor.element_size()
        content[name] = {
            "dtype": _KINDS[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    header = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    return header + b" " * (-len(header) % 8)
