"""Residual connections: how a sub-layer is added to the stream of states.

    post       LayerNorm(x + Dropout(Sublayer(x)))
    pre        x + Dropout(Sublayer(LayerNorm(x)))
    residual   x + Dropout(Sublayer(x))               He et al. 2015, equation 1: y = F(x) + x
    plain      Dropout(Sublayer(x))                   what all networks were before

The derivative of a plain stack is a product of as many matrices as it has layers, and such products vanish or explode.
With x itself in every sum there is one path from the loss to every layer that is multiplied by nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.recording import watcher
from saccade.dropout import dropout as dropped
from saccade.dropout import plus_dropout
from saccade.kernels import triton_available_for

# The value of the paper's own code, which models have unless they say otherwise; the paper names none.
EPSILON = 1e-6

Sublayer = Callable[[Float[Tensor, "batch length width"]], Float[Tensor, "batch length width"]]


class ResidualStream(NamedTuple):
    """The states between two sub-layers: `states` is read by the next sub-layer, `skip` by the next residual sum.

    Both hold the same numbers. They are two tensors so that the kernel that produced them receives both gradients and
    adds them in its backward pass, which saves torch a pass over memory.
    """

    states: Float[Tensor, "batch length width"]
    skip: Float[Tensor, "batch length width"]

    @classmethod
    def of(cls, states: Float[Tensor, "batch length width"]) -> "ResidualStream":
        """A stream that begins with these states."""
        return cls(states, states)


class LayerNorm(nn.LayerNorm):
    """Zero mean and unit variance over the width, then a scale and a shift for each place in it."""

    def forward(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows width"]:
        """The normalised states; on a GPU in the type of the products to come."""
        if triton_available_for(states):
            from saccade.kernels.residual_norm import layer_norm

            return layer_norm(states, self.weight, self.bias, self.eps)
        return super().forward(states)


class PostNorm(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))): Vaswani et al. 2017, sections 3.1 and 5.4."""

    def __init__(self, width: int, dropout: float, epsilon: float = EPSILON) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=epsilon)
        self.dropout = dropout

    @staticmethod
    def end(width: int, epsilon: float = EPSILON) -> nn.Module:  # noqa: ARG004 - every kind is built alike
        """What stands on top of a stack of these: nothing, its last sub-layer is normalised already."""
        return nn.Identity()

    def forward(self, stream: ResidualStream, sublayer: Sublayer) -> ResidualStream:
        """The normalised sum of what came in and what the sub-layer made of it."""
        update = sublayer(stream.states)
        watch = watcher(self)
        if watch is None and triton_available_for(update):
            from saccade.kernels.residual_norm import residual_norm

            dropout = self.dropout if self.training else 0.0
            return ResidualStream(
                *residual_norm(stream.skip, update, self.norm.weight, self.norm.bias, self.norm.eps, dropout)
            )
        total = plus_dropout(stream.skip, update, self.dropout, self.training)
        normalised: Tensor = self.norm(total)
        if watch is not None:
            sums = {"before": stream.skip, "update": update, "sum": total, "normalised": normalised}
            watch(norm="post", **sums, **_parameters(self.norm))
        return ResidualStream.of(normalised)

    if TYPE_CHECKING:
        __call__ = forward


class PreNorm(nn.Module):
    """x + Dropout(Sublayer(LayerNorm(x))): what tensor2tensor changed to in October 2017; it needs no warm-up."""

    def __init__(self, width: int, dropout: float, epsilon: float = EPSILON) -> None:
        super().__init__()
        self.norm = LayerNorm(width, eps=epsilon)
        self.dropout = dropout

    @staticmethod
    def end(width: int, epsilon: float = EPSILON) -> nn.Module:
        """What stands on top of a stack of these: one more norm, as the stream itself never met one."""
        return LayerNorm(width, eps=epsilon)

    def forward(self, stream: ResidualStream, sublayer: Sublayer) -> ResidualStream:
        """What came in plus what the sub-layer makes of it, normalised."""
        normalised = self.norm(stream.states)
        update = sublayer(normalised)
        if triton_available_for(update) and self.training and self.dropout:
            from saccade.kernels.residual_dropout import residual_dropout

            return ResidualStream.of(residual_dropout(stream.skip, update, self.dropout))
        total = plus_dropout(stream.skip, update, self.dropout, self.training)
        if watch := watcher(self):
            sums = {"before": stream.skip, "update": update, "sum": total, "normalised": normalised}
            watch(norm="pre", **sums, **_parameters(self.norm))
        return ResidualStream.of(total)

    if TYPE_CHECKING:
        __call__ = forward


class Residual(nn.Module):
    """x + Dropout(Sublayer(x)): He et al. 2015, section 3.2. Nothing here is normalised."""

    def __init__(self, width: int, dropout: float, epsilon: float = EPSILON) -> None:  # noqa: ARG002 - all built alike
        super().__init__()
        self.dropout = dropout

    @staticmethod
    def end(width: int, epsilon: float = EPSILON) -> nn.Module:  # noqa: ARG004
        """What stands on top of a stack of these: nothing."""
        return nn.Identity()

    def forward(self, stream: ResidualStream, sublayer: Sublayer) -> ResidualStream:
        """What came in plus what the sub-layer makes of it."""
        update = sublayer(stream.states)
        total = plus_dropout(stream.skip, update, self.dropout, self.training)
        if watch := watcher(self):
            watch(norm="none", before=stream.skip, update=update, sum=total)
        return ResidualStream.of(total)

    if TYPE_CHECKING:
        __call__ = forward


class Plain(nn.Module):
    """Dropout(Sublayer(x)): nothing passes by."""

    def __init__(self, width: int, dropout: float, epsilon: float = EPSILON) -> None:  # noqa: ARG002
        super().__init__()
        self.dropout = dropout

    @staticmethod
    def end(width: int, epsilon: float = EPSILON) -> nn.Module:  # noqa: ARG004
        """What stands on top of a stack of these: nothing."""
        return nn.Identity()

    def forward(self, stream: ResidualStream, sublayer: Sublayer) -> ResidualStream:
        """What the sub-layer makes of what came in."""
        update = dropped(sublayer(stream.states), self.dropout, self.training)
        if watch := watcher(self):
            watch(norm="none", before=stream.skip, update=update)
        return ResidualStream.of(update)

    if TYPE_CHECKING:
        __call__ = forward


def _parameters(norm: nn.LayerNorm) -> dict[str, Tensor | float]:
    return {"norm_gain": norm.weight, "norm_shift": norm.bias, "epsilon": norm.eps}


ResidualName = Literal["post", "pre", "residual", "plain"]
ResidualConnection = PostNorm | PreNorm | Residual | Plain
RESIDUAL_CONNECTIONS: dict[ResidualName, type[PostNorm] | type[PreNorm] | type[Residual] | type[Plain]] = {
    "post": PostNorm,
    "pre": PreNorm,
    "residual": Residual,
    "plain": Plain,
}
