"""Multi-head attention: Vaswani et al. 2017, section 3.2.2.

    MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O        head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)

The matrices of all heads lie side by side in one: W^Q and W^K are [d, h d_k], W^V is [d, h d_v], W^O is [h d_v, d].
The scaled dot product of equation 1 has fused kernels. With any other score of `scores.py`, attention is explicit.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.altering import altered
from saccade.attention.attend import Attended, explicit, fused
from saccade.attention.head_scores import HeadScores
from saccade.attention.masks import Visibility
from saccade.attention.projection import Linear, project_jointly, stack_maps
from saccade.attention.recording import watcher
from saccade.sequences import TensorRows


@dataclass(frozen=True)
class KeysValues(TensorRows):
    """What can be attended to, already projected and split into heads; a decoder's cache is a chain of these."""

    keys: Float[Tensor, "batch heads key key_width"]
    values: Float[Tensor, "batch heads key value_width"]

    def __len__(self) -> int:
        """How many positions can be attended to."""
        return self.keys.shape[2]

    def append(self, later: "KeysValues") -> "KeysValues":
        """These positions followed by later ones; nothing is copied where there are none before."""
        if not len(self):
            return later
        return KeysValues(torch.cat([self.keys, later.keys], dim=2), torch.cat([self.values, later.values], dim=2))

    def attend(
        self, queries: Float[Tensor, "batch heads query key_width"], visibility: Visibility, dropout: float
    ) -> Float[Tensor, "batch heads query value_width"]:
        """For each query, the mean of the values, weighted by how well their keys match it."""
        return fused(queries, self.keys, self.values, visibility, dropout)

    def look(
        self,
        queries: Float[Tensor, "batch heads query key_width"],
        visibility: Visibility,
        dropout: float,
        score: HeadScores | None = None,
    ) -> Attended:
        """The same, with the attention weights; if a `score` is given, the keys are those it has prepared."""
        return explicit(queries, self.keys, self.values, visibility, dropout, score)


class MultiHeadAttention(nn.Module):
    """h attentions side by side, each in its own projection of the same vectors."""

    def __init__(
        self,
        width: int,
        heads: int,
        key_width: int,
        value_width: int,
        dropout: float = 0.0,
        bias: bool = False,
        score: HeadScores | None = None,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(width, heads * key_width, bias=bias)
        self.key = nn.Linear(width, heads * key_width, bias=bias)
        self.value = nn.Linear(width, heads * value_width, bias=bias)
        self.output = Linear(heads * value_width, width, bias=bias)
        self.score = score
        """None: the scaled dot product."""
        self._widths = (heads * key_width, heads * value_width)
        self._stacked: tuple[Tensor, Tensor | None] | None = None

    def queries(self, states: Float[Tensor, "batch query width"]) -> Float[Tensor, "batch heads query key_width"]:
        """Q W^Q for every head."""
        return self._split(self.query(states))

    def keys_values(self, memory: Float[Tensor, "batch key width"]) -> KeysValues:
        """K W^K and V W^V for every head: they do not depend on the query, so a decoder computes them once."""
        keys, values = map(self._split, project_jointly(memory, self.key, self.value))
        return KeysValues(self._prepared(keys), values)

    def initial_state(self, memory: Float[Tensor, "batch key width"]) -> KeysValues:
        """Keys and values of zero positions, for as many rows as `memory` has: a decoder begins with them."""
        empty = [memory.new_empty(len(memory), self.heads, 0, all_heads // self.heads) for all_heads in self._widths]
        return KeysValues(*empty)

    def project(
        self, states: Float[Tensor, "batch length width"]
    ) -> tuple[Float[Tensor, "batch heads length key_width"], KeysValues]:
        """Queries, keys and values of the same states, as self-attention has them: one product instead of three."""
        if self._stacked is None:
            parts = project_jointly(states, self.query, self.key, self.value)
        else:
            keys_wide, values_wide = self._widths
            joined = functional.linear(states, *self._stacked)
            parts = list(joined.split_with_sizes((keys_wide, keys_wide, values_wide), dim=2))
        queries, keys, values = map(self._split, parts)
        return queries, KeysValues(self._prepared(keys), values)

    def mix(
        self, queries: Float[Tensor, "batch heads query key_width"], memory: KeysValues, visibility: Visibility
    ) -> Float[Tensor, "batch query width"]:
        """Each query's mixture of the values it may see, joined over the heads and multiplied by W^O."""
        dropout = self.dropout if self.training else 0.0
        watch = watcher(self)
        if watch is None and self.score is None:
            context = memory.attend(queries, visibility, dropout)
        else:
            context, weights = memory.look(queries, visibility, dropout, self.score)
            if (others := altered(self, weights)) is not weights:
                context, weights = others @ memory.values, others
        joined = context.transpose(1, 2).flatten(2)
        projected: Tensor = self.output(joined)
        if watch is not None:
            own = {"context": context, "concat": joined, "out": projected}
            watch(weights=weights, rest=lambda: {**self._trace(queries, memory, visibility), **own})
        return projected

    def _trace(
        self, queries: Float[Tensor, "batch heads query key_width"], memory: KeysValues, visibility: Visibility
    ) -> dict[str, Any]:
        return {
            **self._trace_score(queries, memory),
            "query": queries,
            "keys": memory.keys,
            "values": memory.values,
            "mask": visibility.dense(queries.shape[-2], memory.keys.shape[-2], queries.device),
            "causal": visibility.causal,
            "reach": visibility.window,
            "w_q": self.query.weight.T,
            "w_k": self.key.weight.T,
            "w_v": self.value.weight.T,
            "w_o": self.output.weight.T,
            "b_q": self.query.bias,
            "b_k": self.key.bias,
            "b_v": self.value.bias,
            "b_o": self.output.bias,
        }

    def _trace_score(self, queries: Float[Tensor, "batch heads query key_width"], memory: KeysValues) -> dict[str, Any]:
        if self.score is None:
            return {"score": "scaled-dot", "scale": 1 / math.sqrt(queries.shape[-1])}
        scores = self.score(queries, memory.keys)
        return {"score": self.score.name, "scores": scores, **self.score.inside(queries, memory.keys)}

    def forward(
        self, query: Float[Tensor, "batch query width"], memory: KeysValues, visibility: Visibility
    ) -> Float[Tensor, "batch query width"]:
        """Attention over something else: the source, seen from the target."""
        return self.mix(self.queries(query), memory, visibility)

    def stack_projections(self) -> None:
        """Puts the matrices of queries, keys and values into one piece of memory, where one product can read them.

        From then on the weights must stay where they are: this is for a model that is only used.
        """
        self._stacked = stack_maps([self.query, self.key, self.value])

    def _prepared(self, keys: Float[Tensor, "batch heads key key_width"]) -> Float[Tensor, "batch heads key key_width"]:
        return keys if self.score is None else self.score.prepare(keys)

    def _split(self, joined: Float[Tensor, "batch length all_heads"]) -> Float[Tensor, "batch heads length each"]:
        batch, length, all_heads = joined.shape
        return joined.view(batch, length, self.heads, all_heads // self.heads).transpose(1, 2)

    if TYPE_CHECKING:
        __call__ = forward
