"""TTT-Linear: Sun et al. 2024, "Learning to (Learn at Test Time)". The state is a model, and reading is training it.

    l(W; x) = |f(k; W) - v|^2          k = x K, v = x V: to reconstruct one view of a token from another
    W_t = W_{t-1} - eta(x_t) grad l    one step of gradient descent for each token
    z_t = f(q_t; W_t)                  q = x Q: what the model has learned about this view
    f(x; W) = x + LayerNorm(x W)       or without the bracketing, f(x; W) = x W: "plain"
    eta(x) = base sigma(x . w) / d     the rate is learned, and small where a head is wide

W_0, Q, K, V, w and the norm are learned in the usual way. What training at test time changes is a matrix for each
head, and it stays as large as it is, however much is read.

Gradients are taken for b tokens at a time at the same weights, those before the first of them (section 2.4), and take
effect one by one: W_t = W_b - sum of eta_s k_s^T g_s over the tokens s of the batch so far, g the gradient at x W. So
within a batch no matrix need be formed for each token (section 2.5):

    q_t W_t = q_t W_b - sum_{s <= t} (q_t . k_s) eta_s g_s
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.sequences import TensorRows

EPSILON = 1e-6
Inner = Literal["normalised", "plain"]


@dataclass(frozen=True)
class Weights(TensorRows):
    """What has been learned so far."""

    begun: Float[Tensor, "batch heads width width"]
    """W at the beginning of the batch."""
    change: Float[Tensor, "batch heads width width"]
    """What the tokens of the batch so far take from it."""
    count: Int[Tensor, " batch"]
    """How many they are."""


class TTTLinear(nn.Module):
    """A layer whose state is the weights of a linear model, for each head."""

    def __init__(self, width: int, heads: int, batch: int, rate: float, inner: Inner) -> None:
        super().__init__()
        assert width % heads == 0
        self.heads, self.each, self.batch, self.rate, self.inner = heads, width // heads, batch, rate, inner
        self.views = nn.Linear(width, 3 * width, bias=False)
        """Q, K and V."""
        self.eagerness = nn.Linear(width, heads)
        """The w of the rate, and a bias."""
        self.initial = nn.Parameter(torch.empty(heads, self.each, self.each))
        self.joined = nn.Linear(width, width, bias=False)
        if inner == "normalised":
            self.scale = nn.Parameter(torch.ones(heads, 1, self.each))
            self.shift = nn.Parameter(torch.zeros(heads, 1, self.each))
        nn.init.normal_(self.initial, std=0.02)
        nn.init.normal_(self.views.weight, std=width**-0.5)
        nn.init.zeros_(self.eagerness.weight)
        nn.init.zeros_(self.eagerness.bias)
        nn.init.xavier_uniform_(self.joined.weight)

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Weights:
        """The weights before anything is read, for as many rows as `like` has."""
        begun = self.initial.unsqueeze(0).expand(len(like), -1, -1, -1)
        count = torch.zeros(len(like), dtype=torch.int64, device=begun.device)
        return Weights(begun, torch.zeros_like(begun), count)

    def forward(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """What a whole sequence learns and says, from untrained weights on."""
        queries, keys, values, rates = self._views(states)
        weights = self.initial_state(states).begun
        said = []
        for first in range(0, states.shape[1], self.batch):
            q, k, v, eta = (part[:, :, first : first + self.batch] for part in (queries, keys, values, rates))
            steps = eta * self._gradient(k @ weights, k, v)
            found = q @ weights - (q @ k.transpose(-1, -2)).tril() @ steps
            said.append(self._output(found, q))
            weights = weights - k.transpose(-1, -2) @ steps
        return self._together(torch.cat(said, dim=2))

    def step(
        self, states: Float[Tensor, "batch 1 width"], weights: Weights
    ) -> tuple[Float[Tensor, "batch 1 width"], Weights]:
        """One token: the weights learn from it, then answer."""
        q, k, v, eta = self._views(states)
        change = weights.change + k.transpose(-1, -2) @ (eta * self._gradient(k @ weights.begun, k, v))
        now = weights.begun - change
        count = weights.count + 1
        ends = (count == self.batch).view(-1, 1, 1, 1)
        after = Weights(
            torch.where(ends, now, weights.begun), change.masked_fill(ends, 0.0), count.remainder(self.batch)
        )
        return self._together(self._output(q @ now, q)), after

    def _views(self, states: Float[Tensor, "batch length width"]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """q, k, v and the rates, each batch times heads times length."""
        views = self.views(states).unflatten(-1, (3, self.heads, self.each)).permute(2, 0, 3, 1, 4)
        rates = self.rate * self.eagerness(states).sigmoid() / self.each
        return views[0], views[1], views[2], rates.transpose(1, 2).unsqueeze(-1)

    def _output(self, product: Tensor, inputs: Tensor) -> Tensor:
        """The value of f, given x W."""
        if self.inner == "plain":
            return product
        return inputs + functional.layer_norm(product, (self.each,), eps=EPSILON) * self.scale + self.shift

    def _gradient(self, product: Tensor, inputs: Tensor, values: Tensor) -> Tensor:
        """The gradient of |f - v|^2 at x W.

        Through y = (a - mean) / deviation it is (g - mean(g) - y mean(g y)) / deviation.
        """
        if self.inner == "plain":
            return 2 * (product - values)
        deviation = (product.var(-1, keepdim=True, correction=0) + EPSILON).sqrt()
        normal = (product - product.mean(-1, keepdim=True)) / deviation
        outer = 2 * (inputs + normal * self.scale + self.shift - values) * self.scale
        along = (outer * normal).mean(-1, keepdim=True)
        return (outer - outer.mean(-1, keepdim=True) - normal * along) / deviation

    def _together(self, said: Float[Tensor, "batch heads length each"]) -> Float[Tensor, "batch length width"]:
        result: Tensor = self.joined(said.transpose(1, 2).flatten(2))
        return result

    if TYPE_CHECKING:
        __call__ = forward
