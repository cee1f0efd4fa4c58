"""The fast twin of `Transformer.encode`, `start` and `_step_of_branches` on a CPU: calls of a C++ library.

`can_compile` decides which models have it; all others, and whatever is recorded, stay with torch. Memory and state are
the same for both, so that a search can change from one to the other between two steps.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.attention.cache import Ancestors
from saccade.attention.multihead import KeysValues, MultiHeadAttention
from saccade.attention.projection import Linear
from saccade.kernels import int8_available, library_available_for
from saccade.kernels.beam_selection import Search, Selected
from saccade.kernels.beam_steps_cpu import beam_steps
from saccade.kernels.transformer_cpu import (
    ACTIVATIONS,
    Layer,
    Matrix,
    Norm,
    Parameters,
    Stack,
    Visible,
    decoder_step,
    encoder_states,
    source_keys_values,
)
from saccade.layers.embedding import Embedding
from saccade.layers.feedforward import FeedForward
from saccade.layers.position import FixedPositions, LearnedPositions
from saccade.layers.residual import RESIDUAL_CONNECTIONS, LayerNorm
from saccade.models.transformer import (
    Decoder,
    DecoderLayer,
    Encoder,
    Transformer,
    TransformerBeamState,
    TransformerMemory,
)
from saccade.models.transformer_stacks import SelfAttentionLayer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, PAD


class Compiled:
    """The parameters of a model, copied to where the library reads them.

    With `int8`, all products of states and weights are those of `kernels/int8_product.py`.
    """

    def __init__(self, model: Transformer, int8: bool = False) -> None:
        self._parameters = Parameters(int8)
        self._encoder = self._stack(model, model.encoder, model.source_embedding, Matrix(), zero_token=-1)
        self._decoder = self._stack(
            model, model.decoder, model.target_embedding,
            self._parameters.matrix(model.projection, model.projection_bias),
            zero_token=BOS if model.config.start_of_target == "zero" else -1,
        )  # fmt: skip

    def encode(self, model: Transformer, source: Sequences) -> TransformerMemory:
        """What `Transformer.encode` gives, without computing anything for padding."""
        positions = model.source_positions(0, source.tokens.shape[1])
        states = encoder_states(self._encoder, source.tokens, source.lengths, positions, model.config.attention_window)
        return TransformerMemory(states, source.mask, source.packing)

    def source(self, memory: TransformerMemory) -> tuple[KeysValues, ...]:
        """What `Decoder.source` gives, without computing anything for padding."""
        stack = self._decoder
        widths = (stack.heads * stack.key_width, stack.heads * stack.value_width)
        found = source_keys_values(stack, memory.states, memory.mask.sum(dim=1)).split_with_sizes(widths, dim=3)
        keys, values = (each.view(*each.shape[:3], stack.heads, -1).transpose(2, 3) for each in found)
        return tuple(map(KeysValues, keys, values))

    def step(
        self, model: Transformer, token: Int[Tensor, " batch"], state: TransformerBeamState
    ) -> tuple[Float[Tensor, "batch vocabulary"], TransformerBeamState]:
        """One position of every hypothesis."""
        position = model.target_positions(int(state.ancestors.position[0]), 1)
        ancestors, step = state.ancestors.advance(model.config.attention_window)
        assert step.bias is not None
        assert isinstance(step.now, int)
        visible = Visible(state.written, step.bias, state.source, state.source_mask)
        logits = decoder_step(self._decoder, token, position, visible, step.now, PAD)
        return logits, replace(state, ancestors=ancestors)

    def steps(
        self, model: Transformer, state: TransformerBeamState, search: Search, most: int, enough: int
    ) -> tuple[TransformerBeamState, Selected]:
        """Steps with the selection after each; the search's progress is overwritten, and the state used up."""
        position, ancestors = int(state.ancestors.position[0]), state.ancestors
        found = beam_steps(
            self._decoder,
            model.target_positions(position, most),
            position,
            Visible(state.written, ancestors.bias, state.source, state.source_mask),
            model.config.attention_window,
            search,
            enough,
        )
        now = Ancestors(ancestors.bias, ancestors.position + len(found.names))
        return replace(state, ancestors=now), found

    def _stack(
        self, model: Transformer, stack: Encoder | Decoder, embedding: Embedding, output: Matrix, zero_token: int
    ) -> Stack:
        config = model.config
        parts = [cast(SelfAttentionLayer | DecoderLayer, layer) for layer in stack.layers]
        attention = parts[0].self_attention
        layers = (Layer * len(parts))(*map(self._layer, parts))
        return Stack(
            layers, len(layers), config.width, attention.heads,
            attention.query.out_features // attention.heads, attention.value.out_features // attention.heads,
            ACTIVATIONS[config.activation], config.norm == "pre", config.norm != "plain",
            self._parameters.pointer(embedding.weight), embedding.scale, zero_token, self._norm(stack.end), output,
        )  # fmt: skip

    def _layer(self, layer: SelfAttentionLayer | DecoderLayer) -> Layer:
        own, feedforward = layer.self_attention, layer.feedforward
        cross: Sequence[Matrix] = ()
        norm = Norm()
        if isinstance(layer, DecoderLayer):
            other = layer.cross_attention
            cross = self._joint(other.key, other.value), self._linear(other.query), self._linear(other.output)
            norm = self._norm_of(layer.around_cross_attention)
        return Layer(
            self._norm_of(layer.around_self_attention), norm, self._norm_of(layer.around_feedforward),
            self._joint(own.query, own.key, own.value), self._linear(own.output),
            self._linear(feedforward.inner), self._linear(feedforward.outer), *cross,
        )  # fmt: skip

    def _joint(self, *parts: nn.Linear) -> Matrix:
        biases = tuple(part.bias for part in parts if part.bias is not None)
        weight = torch.cat(tuple(part.weight for part in parts))
        return self._parameters.matrix(weight, torch.cat(biases) if biases else None)

    def _linear(self, linear: nn.Linear) -> Matrix:
        return self._parameters.matrix(linear.weight, linear.bias)

    def _norm_of(self, around: nn.Module) -> Norm:
        return self._norm(getattr(around, "norm", None))

    def _norm(self, norm: nn.Module | None) -> Norm:
        return self._parameters.norm(norm) if isinstance(norm, nn.LayerNorm) else Norm()


def can_compile(model: Transformer, int8: bool = False) -> bool:
    """Whether the library can compute this model, and not only torch.

    It is for the paper's attention, in float32 on a CPU, of a model made of these classes and no others: a part that
    was replaced, or has a hook, may do anything.
    """
    if model.config.score != "scaled-dot" or model.config.target_space_rows or (int8 and not int8_available()):
        return False
    return all(library_available_for(tensor) for tensor in (*model.parameters(), *model.buffers())) and all(
        type(part) in _KNOWN and not part._forward_hooks and not part._forward_pre_hooks for part in model.modules()
    )


_KNOWN = {
    *(Transformer, Encoder, SelfAttentionLayer, Decoder, DecoderLayer, MultiHeadAttention, FeedForward, Embedding),
    *(FixedPositions, LearnedPositions, nn.ModuleList, nn.Identity, nn.Linear, Linear, nn.LayerNorm, LayerNorm),
    *RESIDUAL_CONNECTIONS.values(),
}
