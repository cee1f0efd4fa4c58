"""What gradients tell: which inputs an output depends on, and how much of a gradient survives many steps back."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

Step = Callable[[Float[Tensor, "batch input"], Float[Tensor, "batch state"]], Float[Tensor, "batch state"]]
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


def surviving_gradient(
    step: Step,
    start: Float[Tensor, "batch state"],
    inputs: Float[Tensor, "length batch input"],
    generator: Generator,
) -> list[float]:
    """The norm of u^T dh_T / dh_t for lags T - t = 1, 2, ..., relative to that of u, with u a random direction.

    dh_T / dh_t is the product of the Jacobians of all steps between: one backward pass meets all of them. The mean is
    taken over the rows of the batch, of the logarithm, since that is what grows or falls along a line.
    """
    states = [start.requires_grad_()]
    for x in inputs:
        states.append(step(x, states[-1]))
    direction = torch.randn(start.shape, generator=generator, dtype=start.dtype)
    gradients = torch.autograd.grad(states[-1], states[:-1], direction)
    whole = direction.norm(dim=1).log()
    return [(gradient.norm(dim=1).log() - whole).mean().exp().item() for gradient in reversed(gradients)]
