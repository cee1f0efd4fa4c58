"""Linear maps: one, or several of the same vectors as one matrix product."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.kernels import triton_available_for


class Linear(nn.Linear):
    """A linear map; on a GPU its backward pass takes fewer trips to memory."""

    def forward(self, states: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        """Gives x W^T + b."""
        if triton_available_for(states):
            from saccade.kernels.linear import linear

            return linear(states, self.weight, self.bias)
        return functional.linear(states, self.weight, self.bias)


def project_jointly(
    states: Float[Tensor, "batch length width"], *maps: nn.Linear
) -> list[Float[Tensor, "batch length _"]]:
    """Gives x W_1^T, x W_2^T, ... by way of x [W_1; W_2; ...]^T: one larger product, and the input is read once."""
    biases = [linear.bias for linear in maps if linear.bias is not None]
    assert len(biases) in (0, len(maps)), "either every map has a bias or none"
    if triton_available_for(states) and not biases:
        from saccade.kernels.projection import projections

        return list(projections(states, *(linear.weight for linear in maps)))
    weight = torch.cat(tuple(linear.weight for linear in maps))
    joined = functional.linear(states, weight, torch.cat(tuple(biases)) if biases else None)
    return list(torch.split(joined, [linear.out_features for linear in maps], dim=-1))


def stack_maps(
    maps: Sequence[nn.Linear],
) -> tuple[Float[Tensor, "rows width"], Float[Tensor, " rows"] | None]:
    """[W_1; W_2; ...] and [b_1; b_2; ...] in one piece of memory each, of which those of the maps become views.

    Values and names stay.
    """
    rows = [each.out_features for each in maps]
    weight = torch.cat([each.weight.detach() for each in maps])
    for each, part in zip(maps, torch.split(weight, rows), strict=True):
        each.weight.data = part
    biases = [each.bias.detach() for each in maps if each.bias is not None]
    assert len(biases) in (0, len(maps)), "either every map has a bias or none"
    if not biases:
        return weight, None
    bias = torch.cat(biases)
    for each, part in zip(maps, torch.split(bias, rows), strict=True):
        each.bias.data = part
    return weight, bias
