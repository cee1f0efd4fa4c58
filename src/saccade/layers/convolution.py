"""Convolution over the positions of a sentence, closed by a gate: Gehring et al. 2017, section 3.2.

    [A; B]_i = W [x_{i-o}; ...; x_{i-o+k-1}] + b          W is 2d times k d
    v([A; B]) = A * sigma(B)                              the gated linear unit of Dauphin et al. 2016

A window of k positions laid side by side and one matrix are a convolution, and a matrix product is what every machine
does best. The encoder centres its windows (o = (k-1)/2), the decoder ends them at the position itself (o = k-1).
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.recording import watcher


def windows(states: Float[Tensor, "batch length width"], size: int) -> Float[Tensor, "batch shorter together"]:
    """For each position that has size - 1 more after it, these positions side by side."""
    count = states.shape[1] - size + 1
    return torch.cat([states[:, offset : offset + count] for offset in range(size)], dim=-1)


class GatedConvolution(nn.Module):
    """v(W [window] + b). Around a sentence there are zeros, so the output is as long as the input."""

    def __init__(self, product: nn.Module, size: int, before: int) -> None:
        super().__init__()
        self.product = product
        self.size, self.before = size, before

    def forward(self, states: Float[Tensor, "batch length input_width"]) -> Float[Tensor, "batch length width"]:
        """The gated convolution at every position."""
        return self.of(functional.pad(states, (0, 0, self.before, self.size - 1 - self.before)))

    def of(self, states: Float[Tensor, "batch length input_width"]) -> Float[Tensor, "batch shorter width"]:
        """The same where the window lies inside what is given."""
        if watch := watcher(self):
            watch(kernel=self.size, reaches_back=self.before)
        return functional.glu(self.product(windows(states, self.size)), dim=-1)

    if TYPE_CHECKING:
        __call__ = forward


class ShortConvolution(nn.Module):
    """y_i = w_1 * x_{i-k+1} + ... + w_k * x_i: every place of the width for itself, with the k last positions."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.empty(size, width))
        nn.init.normal_(self.weight, std=size**-0.5)

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Float[Tensor, "batch before width"]:
        """The inputs before the first position: zeros, for as many rows as `like` has."""
        return self.weight.new_zeros(len(like), self.size - 1, self.weight.shape[1])

    def forward(
        self, states: Float[Tensor, "batch length width"], recent: Float[Tensor, "batch before width"]
    ) -> tuple[Float[Tensor, "batch length width"], Float[Tensor, "batch before width"]]:
        """The convolution at further positions, after the inputs before them; and those before the next position."""
        known = torch.cat([recent, states], dim=1)
        length = states.shape[1]
        total = known[:, :length] * self.weight[0]
        for offset in range(1, self.size):
            total = total + known[:, offset : offset + length] * self.weight[offset]
        return total, known[:, length:]

    if TYPE_CHECKING:
        __call__ = forward
