"""Weight normalisation: Salimans and Kingma 2016, "Weight Normalization", equation 2.

w = g v / |v|: every row of a matrix has a length g and a direction v, and both learn. Its gradient is that of the row
with what would only lengthen it taken away, so a step turns the row by as much, however long v has become.

Torch has this too, as something laid over a module. There a copy and its original share a class, and neither can be
relieved of it alone.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.kernels import triton_available_for


class NormalisedLinear(nn.Module):
    """x W^T + b, with every row of W as a length and a direction."""

    frozen_weight: Tensor | None

    def __init__(self, weight: Float[Tensor, "outputs inputs"]) -> None:
        super().__init__()
        self.direction = nn.Parameter(weight.detach())
        self.length = nn.Parameter(weight.detach().norm(dim=1))
        self.bias = nn.Parameter(torch.zeros_like(self.length))
        self.register_buffer("frozen_weight", None, persistent=False)

    @property
    def weight(self) -> Float[Tensor, "outputs inputs"]:
        """W."""
        if self.frozen_weight is not None:
            return self.frozen_weight
        if self.training:  # what torch's own module calls: one kernel each way, where the formula takes ten
            return torch._weight_norm(self.direction, self.length.unsqueeze(1), 0)
        factors: Tensor = self.length / self.direction.norm(dim=1)
        return self.direction * factors.unsqueeze(1)

    def freeze(self) -> None:
        """Computes W once and for all: for a model that learns no more."""
        self.frozen_weight = self.weight.detach()

    def forward(self, inputs: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        """The linear map of each row."""
        if self.training and self.frozen_weight is None and triton_available_for(inputs):
            from saccade.kernels.normalised_linear import normalised_linear

            return normalised_linear(inputs, self.direction, self.length, self.bias)
        return functional.linear(inputs, self.weight, self.bias)

    if TYPE_CHECKING:
        __call__ = forward
