"""The position-wise feed-forward network: Vaswani et al. 2017, equation 2."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.projection import Linear
from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.kernels import triton_available_for

ActivationName = Literal["relu", "silu", "gelu", "quick_gelu"]


def quick_gelu(values: Tensor) -> Tensor:
    """The approximation z sigmoid(1.702 z) of z Phi(z): Hendrycks and Gimpel 2016."""
    return values * (1.702 * values).sigmoid()


ACTIVATIONS: dict[ActivationName, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "silu": functional.silu,
    "gelu": functional.gelu,
    "quick_gelu": quick_gelu,
}


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, the same at every position.

    In the place of the paper's max(0, z), later systems have z sigmoid(z) ("silu", also called swish: most models
    trained with Marian), z Phi(z) ("gelu") or what Marian means by that, z sigmoid(1.702 z) ("quick_gelu").
    """

    def __init__(self, width: int, inner_width: int, dropout: float = 0.0, activation: ActivationName = "relu") -> None:
        super().__init__()
        self.inner = nn.Linear(width, inner_width)
        self.outer = Linear(inner_width, width)
        self.dropout = dropout
        self.activation: ActivationName = activation

    def forward(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """Each position through two linear maps with the activation between them."""
        hidden = self._hidden(states)
        result: Tensor = self.outer(dropout(hidden, self.dropout, self.training))
        if watch := watcher(self):
            inner, outer = self.inner, self.outer
            parameters = {"w_1": inner.weight.T, "b_1": inner.bias, "w_2": outer.weight.T, "b_2": outer.bias}
            watch(inputs=states, hidden=hidden, out=result, activation=self.activation, **parameters)
        return result

    def _hidden(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length inner"]:
        if triton_available_for(states):
            from saccade.kernels.linear import linear

            if self.activation == "relu":
                return linear(states, self.inner.weight, self.inner.bias, relu=True)
            return ACTIVATIONS[self.activation](linear(states, self.inner.weight, self.inner.bias))
        return ACTIVATIONS[self.activation](self.inner(states))

    if TYPE_CHECKING:
        __call__ = forward
