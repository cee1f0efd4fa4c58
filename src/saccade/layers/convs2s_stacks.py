"""Stacks of gated convolutions, the second of which looks at the first from every layer: Gehring et al. 2017.

    encoder layer  z^l = v(W^l [z^{l-1} around j] + b) + z^{l-1}
    decoder layer  h^l = v(W^l [h^{l-1} up to i] + b) + h^{l-1}
                   d_i^l = W_d^l h_i^l + b_d^l + g_i,  a_ij^l = softmax_j(d_i^l . z_j),
                   c_i^l = sum_j a_ij^l (z_j + e_j),  h_i^l + c_i^l goes on

g_i is the embedded target with its position: a layer asks with what it has found so far and with the word it stands at.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.recording import watcher
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.dropout import dropout
from saccade.kernels import triton_available_for
from saccade.layers.convolution import GatedConvolution
from saccade.layers.variance import LinearFactory, VarianceScaling, scaled

Shape = tuple[int, int]
"""The width of a layer, and how many positions its convolution sees."""


class ConvEncoderLayer(nn.Module):
    """A gated convolution around each position, and a residual connection."""

    def __init__(self, maps: LinearFactory, wiring: VarianceScaling, inputs: int, shape: Shape) -> None:
        super().__init__()
        width, size = shape
        self.dropout, self.factor = maps.dropout, wiring.residual
        self.convolution = maps.convolution(inputs, width, size, before=size // 2)
        self.residual = maps.residual(inputs, width)

    def forward(
        self, states: Float[Tensor, "batch source inputs"], real: Bool[Tensor, "batch source 1"]
    ) -> Float[Tensor, "batch source width"]:
        """The states of the next layer. Padding is zero for the convolution, as everything outside a sentence is."""
        if _has_kernels(self.convolution, states):
            from saccade.layers.convolution_fast import residual_convolution

            rate = self.dropout if self.training else 0.0
            return residual_convolution(self.convolution, self.residual, states, real.squeeze(-1), rate, self.factor)
        inputs = dropout(states.masked_fill(~real, 0.0), self.dropout, self.training)
        total: Tensor = self.convolution(inputs) + self.residual(states)
        return total * self.factor

    if TYPE_CHECKING:
        __call__ = forward


class ConvDecoderLayer(nn.Module):
    """A gated convolution over what is written, a residual connection, and in layers that attend a look at the source.

    The context is as wide as an embedding. A matrix, which the paper's text does not mention and its code has,
    makes it as wide as the layer.
    """

    def __init__(
        self,
        maps: LinearFactory,
        wiring: VarianceScaling,
        inputs: int,
        shape: Shape,
        attend: Callable[[], Attention] | None,
        embedding: int,
    ) -> None:
        super().__init__()
        width, size = shape
        self.dropout, self.wiring = maps.dropout, wiring
        self.convolution = maps.convolution(inputs, width, size, before=size - 1)
        self.residual = maps.residual(inputs, width)
        self.attention = None if attend is None else attend()
        if self.attention is not None:
            self.query = maps.linear(width, embedding)
            self.context = maps.linear(embedding, width)

    def forward(
        self,
        states: Float[Tensor, "batch target inputs"],
        embedded: Float[Tensor, "batch target embedding"],
        source: PreparedKeysValues | None,
        factor: Float[Tensor, " batch"],
        positions: Int[Tensor, "#batch target"],
    ) -> Float[Tensor, "batch target width"]:
        """The states of the next layer at every position; `factor` is what a context is multiplied by."""
        if _has_kernels(self.convolution, states) and not self.wiring.attention_inside:
            from saccade.layers.convolution_fast import residual_convolution

            rate = self.dropout if self.training else 0.0
            total = residual_convolution(self.convolution, self.residual, states, None, rate, self.wiring.residual)
            return self._attended(total, embedded, source, factor, positions)
        gated = self.convolution(dropout(states, self.dropout, self.training))
        return self._joined(gated, states, lambda x: self._attended(x, embedded, source, factor, positions))

    if TYPE_CHECKING:
        __call__ = forward

    def step(
        self,
        states: Float[Tensor, "batch 1 inputs"],
        recent: Float[Tensor, "batch before inputs"],
        embedded: Float[Tensor, "batch 1 embedding"],
        source: PreparedKeysValues | None,
        factor: Float[Tensor, " batch"],
        positions: Int[Tensor, "batch 1"],
    ) -> tuple[Float[Tensor, "batch 1 width"], Float[Tensor, "batch before inputs"]]:
        """The same at one position, after the inputs before it; and those that the next position has before it."""
        window = torch.cat([recent, states], dim=1)
        gated = self.convolution.of(window)
        now = self._joined(gated, states, lambda x: self._attended(x, embedded, source, factor, positions))
        return now, window[:, 1:]

    def _joined(self, gated: Tensor, states: Tensor, attended: Callable[[Tensor], Tensor]) -> Tensor:
        past: Tensor = self.residual(states)
        if self.wiring.attention_inside:
            return (attended(gated) + past) * self.wiring.residual
        return attended((gated + past) * self.wiring.residual)

    def _attended(
        self,
        states: Float[Tensor, "batch target width"],
        embedded: Float[Tensor, "batch target embedding"],
        source: PreparedKeysValues | None,
        factor: Float[Tensor, " batch"],
        positions: Int[Tensor, "#batch target"],
    ) -> Float[Tensor, "batch target width"]:
        """The states and what each has found in the source: the equations of section 3.3."""
        if self.attention is None or source is None:
            return states
        queries = scaled(self.query(states) + embedded, self.wiring.query)
        context = self.attention(queries, source, positions) * factor.view(-1, 1, 1)
        total: Tensor = states + self.context(context)
        return scaled(total, self.wiring.context)


def _has_kernels(convolution: GatedConvolution, states: Float[Tensor, "batch length width"]) -> bool:
    """Weights that are sharded (DTensors) are gathered by calling the module, which the kernels do not."""
    sharded = hasattr(next(convolution.parameters()), "full_tensor")
    return triton_available_for(states) and watcher(convolution) is None and not sharded


def _inputs(shapes: Sequence[Shape]) -> list[int]:
    """How wide what each layer reads is: as the layer itself at the bottom, as the layer below further up."""
    return [shapes[0][0], *(width for width, _ in shapes[:-1])]


class ConvEncoder(nn.Module):
    """From embeddings to keys: a map to the width of the layers, the layers, and a map back."""

    def __init__(self, maps: LinearFactory, wiring: VarianceScaling, shapes: Sequence[Shape], embedding: int) -> None:
        super().__init__()
        self.entrance = maps.linear(embedding, shapes[0][0], dropped=True)
        self.layers = nn.ModuleList(
            ConvEncoderLayer(maps, wiring, inputs, shape) for inputs, shape in zip(_inputs(shapes), shapes, strict=True)
        )
        self.exit = maps.linear(shapes[-1][0], embedding)

    def forward(
        self, embedded: Float[Tensor, "batch source embedding"], real: Bool[Tensor, "batch source"]
    ) -> Float[Tensor, "batch source embedding"]:
        """The paper's z^u."""
        states = self.entrance(embedded)
        for layer in self.layers:
            states = layer(states, real.unsqueeze(-1))
        result: Tensor = self.exit(states)
        return result

    if TYPE_CHECKING:
        __call__ = forward


class ConvDecoder(nn.Module):
    """From embeddings of the target to what the last matrix reads.

    `attend` makes an attention; `attending` says which layers have one, counted from 1.
    """

    def __init__(
        self,
        maps: LinearFactory,
        wiring: VarianceScaling,
        shapes: Sequence[Shape],
        embedding: int,
        attend: Callable[[], Attention],
        attending: Sequence[int],
    ) -> None:
        super().__init__()
        self.entrance = maps.linear(embedding, shapes[0][0], dropped=True)
        inputs = _inputs(shapes)
        self.layers = nn.ModuleList()
        for place, (below, shape) in enumerate(zip(inputs, shapes, strict=True), start=1):
            look = attend if place in attending else None
            self.layers.append(ConvDecoderLayer(maps, wiring, below, shape, look, embedding))
        self.before = tuple((size - 1, below) for below, (_, size) in zip(inputs, shapes, strict=True))
        """For each layer, how many earlier inputs it sees, and how wide they are."""
        self.exit = maps.linear(shapes[-1][0], embedding)

    def sources(
        self,
        keys: Float[Tensor, "batch source embedding"],
        values: Float[Tensor, "batch source embedding"],
        real: Bool[Tensor, "batch source"],
    ) -> tuple[PreparedKeysValues, ...]:
        """The source as each attention wants it."""
        return tuple(attention.prepare(keys, values, real) for attention in self._attentions() if attention is not None)

    def forward(
        self,
        embedded: Float[Tensor, "batch target embedding"],
        sources: tuple[PreparedKeysValues, ...],
        factor: Float[Tensor, " batch"],
        positions: Int[Tensor, "#batch target"],
    ) -> Float[Tensor, "batch target embedding"]:
        """All positions at once."""
        states = self.entrance(embedded)
        for layer, source in zip(self.layers, self._by_layer(sources), strict=True):
            states = layer(states, embedded, source, factor, positions)
        result: Tensor = self.exit(states)
        return result

    if TYPE_CHECKING:
        __call__ = forward

    def step(
        self,
        embedded: Float[Tensor, "batch 1 embedding"],
        recent: tuple[Float[Tensor, "batch _ _"], ...],
        sources: tuple[PreparedKeysValues, ...],
        factor: Float[Tensor, " batch"],
        positions: Int[Tensor, "batch 1"],
    ) -> tuple[Float[Tensor, "batch 1 embedding"], tuple[Float[Tensor, "batch _ _"], ...]]:
        """One position, and the recent inputs of each layer after it."""
        states, after = self.entrance(embedded), []
        for layer, before, source in zip(self.layers, recent, self._by_layer(sources), strict=True):
            assert isinstance(layer, ConvDecoderLayer)
            states, kept = layer.step(states, before, embedded, source, factor, positions)
            after.append(kept)
        return self.exit(states), tuple(after)

    def _attentions(self) -> list[Attention | None]:
        return [layer.attention for layer in self.layers if isinstance(layer, ConvDecoderLayer)]

    def _by_layer(self, sources: tuple[PreparedKeysValues, ...]) -> list[PreparedKeysValues | None]:
        """What each layer sees of the source: nothing, where it does not attend."""
        left = iter(sources)
        return [None if attention is None else next(left) for attention in self._attentions()]
