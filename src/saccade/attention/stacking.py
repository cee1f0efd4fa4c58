"""Matrices that stand on top of each other as one, without a copy where they already lie so in memory."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn


def stacked(matrices: Sequence[Float[Tensor, "_ width"]]) -> Float[Tensor, "rows width"]:
    """[W_1; W_2; ...]; a view where they follow each other in memory."""
    first = matrices[0]
    storage, place = first.untyped_storage().data_ptr(), first.storage_offset()
    for matrix in matrices:
        beside = matrix.untyped_storage().data_ptr() == storage and matrix.storage_offset() == place
        if not beside or not matrix.is_contiguous():
            return torch.cat(tuple(matrices))
        place += matrix.numel()
    return first.as_strided((sum(map(len, matrices)), first.shape[1]), first.stride())


def lay_together(maps: Sequence[nn.Linear]) -> None:
    """Moves the weights of these maps into one piece of memory; their values and names stay."""
    together = torch.cat([each.weight.detach() for each in maps])
    for each, part in zip(maps, together.split([each.out_features for each in maps]), strict=True):
        each.weight.data = part
