"""Output layers with a bias, W h + b, as one matrix product: [W, b] [h; 1].

A loss that knows the one matrix need not keep the logits of a whole batch, so states carry a one at their end. Two
layers compute the same and differ in what a saved model calls its parameters: `BiasedProjection` keeps [W, b] as one
parameter, `AffineProjection` W and b as two. `as_one_product` does it for a W that is also an embedding.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


def with_one(states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows one_wider"]:
    """[h; 1]."""
    return functional.pad(states, (0, 1), value=1.0)


def as_one_product(
    states: Float[Tensor, "rows width"], weight: Float[Tensor, "vocabulary width"], bias: Float[Tensor, " vocabulary"]
) -> tuple[Float[Tensor, "rows wider"], Float[Tensor, "vocabulary wider"]]:
    """[h; 1; 0] and [W, b, 0], filled up with zeros: products are fastest where the width is a multiple of eight."""
    zeros = -(weight.shape[1] + 1) % _MULTIPLE
    wider = torch.cat([weight, bias.unsqueeze(1), weight.new_zeros(len(weight), zeros)], dim=1)
    return functional.pad(with_one(states), (0, zeros)), wider


_MULTIPLE = 8


class BiasedProjection(nn.Module):
    """[W, b] as one parameter."""

    def __init__(self, width: int, vocabulary: int, deviation: float = 0.01) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocabulary, width + 1))
        nn.init.normal_(self.weight.detach()[:, :-1], std=deviation)

    def forward(self, states: Float[Tensor, "*rows one_wider"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each token, for states that carry a one."""
        return functional.linear(states, self.weight)

    if TYPE_CHECKING:
        __call__ = forward


class AffineProjection(nn.Linear):
    """W and b as two parameters."""

    def forward(self, states: Float[Tensor, "*rows one_wider"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each token, for states that carry a one."""
        return functional.linear(states[..., :-1], self.weight) + states[..., -1:] * self.bias

    @property
    def matrix(self) -> Float[Tensor, "vocabulary one_wider"]:
        """[W, b]."""
        return torch.cat([self.weight, self.bias.unsqueeze(1)], dim=1)

    if TYPE_CHECKING:
        __call__ = forward
