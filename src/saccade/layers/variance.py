"""Keeping the variance of states without norms: Gehring et al. 2017, section 3.4.

    a sum of two quantities of equal variance         times sqrt(1/2)
    a mean over m positions, in equal parts            times m sqrt(1/m)
    a matrix over n inputs                             drawn from N(0, sqrt(1/n)), so that its outputs vary as they do
    the gradient of what m attentions read             divided by m

Nothing is normalised while a network runs; the sizes of sums, weights and gradients are chosen so that it need not be.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from saccade.layers.convolution import GatedConvolution
from saccade.layers.weight_normalisation import NormalisedLinear

HALF = math.sqrt(0.5)
"""The sum of two quantities of equal variance, times this, has that variance again."""


@dataclass(frozen=True)
class VarianceScaling:
    """The factor on each sum of a layer, and where its attention stands."""

    residual: float
    query: float
    values: float
    context: float
    by_length: bool
    """Whether a context of m positions is multiplied by m sqrt(1/m)."""
    attention_inside: bool
    """Whether attention comes before the residual sum."""
    gradient: float | None
    """The gradient that reaches the encoder is divided by so many times the number of attentions; None: it is not."""

    def factor(self, lengths: Int[Tensor, " batch"], dtype: torch.dtype) -> Float[Tensor, " batch"]:
        """What the context of a sentence of each length is multiplied by."""
        lengths = lengths.to(dtype)
        return lengths * (1 / lengths).sqrt() if self.by_length else torch.ones_like(lengths)


VARIANCE_SCALINGS = {
    "paper": VarianceScaling(HALF, 1.0, 1.0, 1.0, by_length=True, attention_inside=False, gradient=1.0),
    "fairseq": VarianceScaling(HALF, HALF, HALF, HALF, by_length=True, attention_inside=True, gradient=2.0),
    "unscaled": VarianceScaling(1.0, 1.0, 1.0, 1.0, by_length=False, attention_inside=False, gradient=None),
}


@dataclass(frozen=True)
class LinearFactory:
    """Makes linear maps whose outputs have the variance of their inputs, with rows normalised or not."""

    dropout: float
    """What inputs that have met dropout have met."""
    weight_normalisation: bool

    def linear(self, inputs: int, outputs: int, *, dropped: bool = False, gated: bool = False) -> nn.Module:
        """N(0, sqrt(1/n)) for n inputs, with biases of zero.

        Four times that variance before a gate, which takes three quarters away; times the share that dropout leaves
        where the inputs have met dropout, which raised theirs.
        """
        deviation = math.sqrt((4 if gated else 1) * (1 - self.dropout if dropped else 1.0) / inputs)
        if self.weight_normalisation:
            return NormalisedLinear(nn.init.normal_(torch.empty(outputs, inputs), std=deviation))
        linear = nn.Linear(inputs, outputs)
        nn.init.normal_(linear.weight, std=deviation)
        nn.init.zeros_(linear.bias)
        return linear

    def convolution(self, inputs: int, width: int, size: int, before: int) -> GatedConvolution:
        """A gated convolution whose window begins `before` positions earlier."""
        return GatedConvolution(self.linear(inputs * size, 2 * width, dropped=True, gated=True), size, before)

    def residual(self, inputs: int, width: int) -> nn.Module:
        """What makes the input of a layer as wide as its output."""
        return nn.Identity() if inputs == width else self.linear(inputs, width)


def scaled(states: Float[Tensor, "*shape"], factor: float) -> Float[Tensor, "*shape"]:
    """The states times a factor; a factor of one costs no pass over them."""
    return states if factor == 1.0 else states * factor


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
