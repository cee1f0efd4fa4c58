"""Equation 2 as one step of differentiation on a processor: nothing as wide as d_ff is written twice.

    H = max(0, X W_1^T + b_1)     Y = H W_2^T + b_2     dH = dY W_2 where H > 0, else 0

Torch by itself keeps the sum before the ReLU apart from what follows it, in both directions. Here the ReLU and its
gradient overwrite the products they belong to.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


def rectified(
    states: Float[Tensor, "*rows width"],
    inner: Float[Tensor, "inner width"],
    inner_bias: Float[Tensor, " inner"],
    outer: Float[Tensor, "out inner"],
    outer_bias: Float[Tensor, " out"],
) -> Float[Tensor, "*rows out"]:
    """max(0, x W_1^T + b_1) W_2^T + b_2."""
    rows = states.reshape(-1, states.shape[-1])
    result: Tensor = _Rectified.apply(rows, inner, inner_bias, outer, outer_bias)  # type: ignore[no-untyped-call]
    return result.view(*states.shape[:-1], -1)


class _Rectified(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, states: Tensor, inner: Tensor, inner_bias: Tensor, outer: Tensor, outer_bias: Tensor
    ) -> Float[Tensor, "rows out"]:
        hidden = torch.addmm(inner_bias, states, inner.t()).relu_()
        ctx.save_for_backward(states, hidden, inner, outer)
        return torch.addmm(outer_bias, hidden, outer.t())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
        states, hidden, inner, outer = ctx.saved_tensors
        flow = gradient @ outer
        torch.ops.aten.threshold_backward.grad_input(flow, hidden, 0, grad_input=flow)
        return flow @ inner, flow.t() @ states, flow.sum(0), gradient.t() @ hidden, gradient.sum(0)
