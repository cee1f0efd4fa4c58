"""How much of a gradient survives the way back through a recurrent network, position by position."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

Step = Callable[[Float[Tensor, "batch input"], Float[Tensor, "batch state"]], Float[Tensor, "batch state"]]


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
