"""Several linear maps of the same vectors as one matrix product."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


def side_by_side(
    states: Float[Tensor, "batch length width"], *maps: nn.Linear
) -> list[Float[Tensor, "batch length _"]]:
    """x W_1^T, x W_2^T, ... by way of x [W_1; W_2; ...]^T: the input is read once, and the product is a larger one."""
    weight = torch.cat([linear.weight for linear in maps])
    biases = [linear.bias for linear in maps if linear.bias is not None]
    assert len(biases) in (0, len(maps)), "either every map has a bias or none"
    joined = functional.linear(states, weight, torch.cat(biases) if biases else None)
    return list(joined.split([linear.out_features for linear in maps], dim=-1))
