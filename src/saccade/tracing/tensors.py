"""Tensors as JSON carries them: shape, the name of each axis, and the numbers in base64.

    {"dtype": "f32", "shape": [8, 9, 11], "dims": ["head", "query", "key"], "data": "..."}

Numbers are in C order and little endian, as a browser's typed arrays are. None of them is infinite or NaN: masked
positions are marked by the mask, never by minus infinity.
"""

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from saccade.errors import FormatError, RunError

DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "u8": np.dtype("u1")}

PARAMETERS = ("w_", "b_", "norm_gain", "norm_shift")
"""How the roles of parameters begin: they are the same for every sentence, and by far the largest tensors."""
ALWAYS = ("weights", "mask")


Numbers = np.ndarray[Any, np.dtype[Any]]


def to_array(tensor: Float[Tensor, "*shape"] | Bool[Tensor, "*shape"]) -> Numbers:
    """The numbers of a tensor, a mask as bytes and anything else as 32-bit floats, all of them finite."""
    kind = "f32" if tensor.is_floating_point() else "u8"
    # Parameters are shared with the model, not copied: they are the same for every sentence that is kept.
    array = np.ascontiguousarray(tensor.detach().cpu().float().numpy().astype(DTYPES[kind], copy=False))
    if kind == "f32" and not np.isfinite(array).all():
        raise RunError("`model` must compute finite numbers, but some are not. Its weights are damaged: use another.")
    return array


def to_json(array: Numbers, dims: Iterable[str]) -> dict[str, Any]:
    """An array as a trace holds it."""
    named = list(dims)
    assert len(named) == array.ndim, (named, array.shape)
    return {
        "dtype": next(name for name, kind in DTYPES.items() if kind == array.dtype),
        "shape": list(array.shape),
        "dims": named,
        "data": base64.b64encode(array.tobytes()).decode("ascii"),
    }


def from_json(written: dict[str, Any]) -> Numbers:
    """The numbers of a tensor that is held in place."""
    try:
        flat = np.frombuffer(base64.b64decode(written["data"], validate=True), dtype=DTYPES[written["dtype"]])
        array: Numbers = flat.reshape(written["shape"])
    except (KeyError, ValueError, TypeError) as error:
        raise FormatError(f"a tensor must have `dtype`, `shape` and `data` that agree, but {error}.") from None
    return array


class TraceTensors:
    """The arrays of a trace by name, with the owner and role of each; only those asked for are written out."""

    def __init__(self) -> None:
        self.arrays: dict[str, Numbers] = {}
        self._owners: dict[str, tuple[str, str, list[str]]] = {}

    def put(self, owner: str, role: str, tensor: Tensor | None, dims: str) -> dict[str, str]:
        """Keeps a tensor; returns {role: name}, or {} for None. `dims` names the axes, separated by spaces."""
        if tensor is None:
            return {}
        name = f"{owner}.{role}"
        self.arrays[name] = to_array(tensor)
        self._owners[name] = owner, role, dims.split()
        return {role: name}

    @property
    def size(self) -> int:
        """Bytes of all that belongs to the sentence; parameters belong to the model."""
        owners = self._owners.items()
        return sum(self.arrays[name].nbytes for name, (_, role, _) in owners if not role.startswith(PARAMETERS))

    def to_json(self, detail: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Those that belong to this detail; see `options.TraceOptions`."""
        asked = set(detail)
        return {
            name: to_json(self.arrays[name], dims)
            for name, (owner, role, dims) in list(self._owners.items())  # another thread may be adding to them
            if _belongs(owner, role, asked)
        }


def _belongs(owner: str, role: str, asked: set[str]) -> bool:
    if role in ALWAYS or f"block:{owner}" in asked or owner.partition(".")[0] in asked:
        return True
    return ("parameters" if role.startswith(PARAMETERS) else "all") in asked
