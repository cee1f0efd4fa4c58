"""Which inputs an output depends on, asked of the gradient."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

Network = Callable[[Float[Tensor, "1 length width"]], Float[Tensor, "1 length _"]]


def influence(network: Network, states: Float[Tensor, "1 length width"]) -> Float[Tensor, "length length"]:
    """The norm of d output_i / d input_j for every pair of positions: exactly zero where nothing connects them."""

    def outputs(inputs: Tensor) -> Tensor:
        return network(inputs)[0]

    # [length, outputs, 1, length, width]
    jacobian: Tensor = torch.autograd.functional.jacobian(outputs, states)  # type: ignore[no-untyped-call]
    norms: Tensor = jacobian.squeeze(2).norm(dim=(1, 3))
    return norms


def layers_between(adjacency: Float[Tensor, "length length"], start: int, end: int) -> int:
    """The fewest layers after which input `start` can reach output `end`, if every layer connects like this one."""
    reached = torch.zeros(len(adjacency), dtype=torch.bool)
    reached[start] = True
    connected = adjacency > 0
    layers = 0
    while not reached[end]:
        grown = (connected & reached).any(dim=1)
        assert (grown & ~reached).any(), "the two are not connected"
        reached |= grown
        layers += 1
    return layers
