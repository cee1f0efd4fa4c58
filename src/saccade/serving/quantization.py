"""How weights lie on disk: as they are, in half precision, or in one byte each.

`pack` turns a model's tensors into the tensors of a file, `unpack` turns them back into float32. A byte is enough for
a weight when every row of its matrix keeps a scale of its own:

    s_i = max_j |w_ij| / 127        q_ij = round(w_ij / s_i)        w'_ij = s_i q_ij        |w_ij - w'_ij| <= s_i / 2

Vectors (biases, norms) are a thousandth of the size and stay in float32.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import torch
from torch import Tensor

from saccade.errors import FormatError

Storage = Literal["float32", "float16", "int8"]
STORAGES: tuple[Storage, ...] = get_args(Storage)

# A slash never occurs in the name of a parameter, so this names no tensor of a model.
SCALES = "/scales"


def pack(tensors: Mapping[str, Tensor], storage: Storage) -> dict[str, Tensor]:
    """The tensors of a file that holds these weights."""
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        tensor = tensor.detach().cpu()
        if not tensor.is_floating_point():
            packed[name] = tensor.contiguous()
            continue
        if not tensor.isfinite().all():
            raise FormatError(f"the weights must be finite, but {name!r} holds infinite numbers or NaN. Train again.")
        if storage == "int8" and tensor.ndim >= 2:
            packed[name], packed[name + SCALES] = _quantise(tensor.float())
        elif storage == "float16" and _fits_half_precision(tensor):
            packed[name] = tensor.half().contiguous()
        else:
            packed[name] = tensor.float().contiguous()
    return packed


def unpack(packed: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The float32 weights that the tensors of a file stand for."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in packed.items():
        if name.endswith(SCALES) and name.removesuffix(SCALES) in packed:
            continue
        scales = packed.get(name + SCALES)
        if scales is not None:
            tensors[name] = tensor * scales.view(-1, *[1] * (tensor.ndim - 1))  # bytes times float32 is float32
        else:
            # A copy in any case: what was read may be a view of the file.
            tensors[name] = tensor.to(torch.float32 if tensor.is_floating_point() else tensor.dtype, copy=True)
    return tensors


def _quantise(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """One signed byte per weight and one float32 scale per row; a row of zeros has the scale 1."""
    rows = tensor.flatten(1)
    scales = rows.abs().amax(dim=1) / 127 if rows.shape[1] else torch.ones(len(rows))
    scales = torch.where(scales > 0, scales, torch.ones_like(scales))
    levels = (rows / scales.unsqueeze(1)).round().clamp(-127, 127)
    return levels.to(torch.int8).view(tensor.shape), scales


def _fits_half_precision(tensor: Tensor) -> bool:
    return tensor.numel() == 0 or float(tensor.abs().max()) <= torch.finfo(torch.float16).max
