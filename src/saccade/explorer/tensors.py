"""Tensors as JSON carries them: shape, the name of each axis, and the numbers in base64.

    {"dtype": "f32", "shape": [8, 9, 11], "dims": ["head", "query", "key"], "data": "..."}

Numbers are in C order and little endian, which is what a typed array of a browser reads. None of them is infinite or
NaN: what a mask forbids is said by the mask, and never by minus infinity.
"""

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from saccade.errors import FormatError, RunError

DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "u8": np.dtype("u1")}

PARAMETERS = ("w_", "b_", "norm_gain", "norm_shift")
"""How the roles of parameters begin: they are the same for every sentence, and by far the largest."""
ALWAYS = ("weights", "mask")


def to_json(tensor: Float[Tensor, "*shape"] | Bool[Tensor, "*shape"], dims: Iterable[str]) -> dict[str, Any]:
    """The tensor, a mask as bytes and anything else as 32-bit floats."""
    kind = "f32" if tensor.is_floating_point() else "u8"
    array = np.ascontiguousarray(tensor.detach().cpu().float().numpy().astype(DTYPES[kind]))
    if kind == "f32" and not np.isfinite(array).all():
        raise RunError("`model` must compute finite numbers, but some are not. Its weights are damaged: use another.")
    named = list(dims)
    assert len(named) == array.ndim, (named, array.shape)
    return {
        "dtype": kind,
        "shape": list(array.shape),
        "dims": named,
        "data": base64.b64encode(array.tobytes()).decode("ascii"),
    }


def from_json(written: dict[str, Any]) -> Shaped[np.ndarray, "*shape"]:
    """The numbers of a tensor that is held in place."""
    try:
        flat = np.frombuffer(base64.b64decode(written["data"], validate=True), dtype=DTYPES[written["dtype"]])
        array: np.ndarray[Any, Any] = flat.reshape(written["shape"])
    except (KeyError, ValueError, TypeError) as error:
        raise FormatError(f"a tensor must have `dtype`, `shape` and `data` that agree, but {error}.") from None
    return array


class Shelf:
    """Tensors by name, and who owns them in which role; on request only some are handed out."""

    def __init__(self) -> None:
        self.tensors: dict[str, dict[str, Any]] = {}
        self._owners: dict[str, tuple[str, str]] = {}

    def put(self, owner: str, role: str, tensor: Tensor | None, dims: str) -> dict[str, str]:
        """Keeps a tensor; gives {role: name}, or nothing where there is none. `dims` are names with spaces between."""
        if tensor is None:
            return {}
        name = f"{owner}.{role}"
        self.tensors[name] = to_json(tensor, dims.split())
        self._owners[name] = owner, role
        return {role: name}

    def asked(self, detail: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Those that belong to this detail; see `trace.Options`."""
        asked = set(detail)
        return {name: tensor for name, tensor in self.tensors.items() if _belongs(*self._owners[name], asked)}


def _belongs(owner: str, role: str, asked: set[str]) -> bool:
    if role in ALWAYS or f"block:{owner}" in asked or owner.partition(".")[0] in asked:
        return True
    return ("parameters" if role.startswith(PARAMETERS) else "all") in asked
