"""Safetensors files written one tensor at a time, so that nobody need hold all of them at once.

The library's own writer wants every tensor in memory together. Weights that lie in pieces on several processes are
better gathered one by one. The bytes are those the library would write.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import Tensor

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


def whole(tensor: Tensor) -> Tensor:
    """A tensor that lies in pieces on several processes, gathered; all of them must ask. Any other as it is.

    Only a tensor in pieces knows how to gather itself; its class is not imported here, since that takes a second or
    two which most runs need not spend.
    """
    gather = getattr(tensor, "full_tensor", None)
    return tensor if gather is None else gather()


def laid_out_like(other: Tensor, tensor: Tensor) -> Tensor:
    """A whole tensor as the other one is: this process's piece where that is in pieces; nothing is sent."""
    if not hasattr(other, "full_tensor"):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(other, DTensor)
    return distribute_tensor(tensor.to(other.device), other.device_mesh, other.placements, src_data_rank=None)


def in_turn(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor whole, in the order of the file: what every process runs through while one of them writes."""
    for name in _names(tensors):
        yield name, whole(tensors[name].detach())


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> str:
    """Writes the file and gives its SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        header = _header(tensors)
        for part in (len(header).to_bytes(8, "little"), header):
            digest.update(part)
            file.write(part)
        for _, tensor in in_turn(tensors):
            payload = tensor.contiguous().cpu().reshape(-1).view(torch.uint8).numpy().data
            digest.update(payload)
            file.write(payload)
    return digest.hexdigest()


def _names(tensors: Mapping[str, Tensor]) -> list[str]:
    """Widest numbers first, so that each tensor is aligned, then by name."""
    return sorted(tensors, key=lambda name: (-_ORDER.index(tensors[name].dtype), name))


def _header(tensors: Mapping[str, Tensor]) -> bytes:
    content, offset = {}, 0
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
