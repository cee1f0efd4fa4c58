"""What changes gradients on their way back and nothing on the way forward."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


def scaled_gradient(states: Float[Tensor, "*shape"], factor: float) -> Float[Tensor, "*shape"]:
    """The same states; what comes back through them is multiplied by the factor.

    An encoder that several attentions read hears from each of them. Without a factor its gradients, and with them its
    steps, grow with their number: Gehring et al. 2017, section 3.4.
    """
    same: Tensor = _ScaledGradient.apply(states, factor)  # type: ignore[no-untyped-call]
    return same


class _ScaledGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return states.view_as(states)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.factor, None
