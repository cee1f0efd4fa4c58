"""Matrices that stand on top of each other in memory, so that one product reads them all."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn


def stack_projections(maps: Sequence[nn.Linear]) -> Float[Tensor, "rows width"] | None:
    """[W_1; W_2; ...], of which the weights of the maps are now parts; their values and names stay.

    None where the maps have biases: nothing is moved then.
    """
    if any(each.bias is not None for each in maps):
        return None
    together = torch.cat([each.weight.detach() for each in maps])
    for each, part in zip(maps, torch.split(together, [each.out_features for each in maps]), strict=True):
        each.weight.data = part
    return together
