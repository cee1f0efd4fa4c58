"""The Transformer: Vaswani et al. 2017, "Attention Is All You Need".

    encoder layer   self-attention, feed-forward
    decoder layer   causal self-attention, attention over the encoder's output, feed-forward

Each sub-layer is wrapped in a residual connection with layer norm (section 3.1). The defaults of `TransformerConfig`
are the paper's base model; where the authors' code does otherwise, a field names it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.cache import Ancestors, BeamKeysValues, CacheStep, allocate, keep_written, padding_bias
from saccade.attention.masks import QueryKeyPacking, Visibility
from saccade.attention.multihead import KeysValues
from saccade.attention.recording import watched
from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.kernels.beam_selection import Search, Selected
from saccade.layers.aligned_projection import AlignedProjection
from saccade.layers.embedding import Embedding, embed_with_positions
from saccade.layers.position import add_positions
from saccade.layers.residual import ResidualStream
from saccade.models.capabilities import CompilesSearch, LinearOutput, ReadsPacked
from saccade.models.checks import at_least_one, at_least_zero
from saccade.models.contract import Memory, State
from saccade.models.transformer_stacks import SelfAttentionStack, StackConfig, initialise, look_back
from saccade.sequences import Packed, Packing, Sequences
from saccade.special_tokens import BOS

if TYPE_CHECKING:
    from saccade.models.transformer_fast import Compiled


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(StackConfig):
    """The columns of Table 3 under words instead of letters, here N; and choices that the paper leaves open."""

    encoder_layers: int = 6
    decoder_layers: int = 6
    tie: Literal["all", "embeddings", "target", "none"] = "all"
    """Which of source embedding, target embedding and output projection are one matrix (section 3.4: all)."""
    start_of_target: Literal["token", "zero"] = "token"
    """What the decoder reads first: the vector of a start token, or a zero vector as in tensor2tensor."""
    target_space_rows: int = 0
    """Rows of tensor2tensor's table whose first row is added to every source position; 0: no such table."""
    output_bias: bool = False
    """A bias for each token of the output: none in the paper, present in Marian's models."""

    def __post_init__(self) -> None:
        at_least_one(self, "encoder_layers", "decoder_layers")
        at_least_zero(self, "target_space_rows")
        super().__post_init__()


@dataclass(frozen=True)
class TransformerMemory(Memory):
    """The encoder's output, where it is not padding, and in a packed batch which positions are of one sentence."""

    states: Float[Tensor, "batch source width"]
    mask: Bool[Tensor, "batch source"]
    packing: Packing | None = None

    def visible_to(self, reads: Sequences | Packed) -> Visibility:
        """Which source positions each target position may attend to: all those of its own sentence."""
        if self.packing is None or reads.packing is None:
            return Visibility(keys=self.mask)
        return Visibility(packing=QueryKeyPacking(reads.packing, self.packing))


@dataclass(frozen=True)
class TransformerState(State):
    """For each decoder layer, the keys and values of what was written so far and of the source."""

    written: tuple[KeysValues, ...]
    source: tuple[KeysValues, ...]
    source_mask: Bool[Tensor, "batch source"]

    def branch(self, sentences: int, size: int, capacity: int) -> "TransformerBeamState":
        """The source is kept once for each sentence; the cache is allocated for all its hypotheses."""
        assert not len(self.written[0]), "a search begins where nothing is written"
        written = tuple(allocate(before, size, capacity) for before in self.written)
        ancestors = Ancestors.none(sentences, size, capacity, like=written[0].keys)
        return TransformerBeamState(
            written, self.source, self.source_mask, ancestors, padding_bias(self.source_mask, ancestors.bias)
        )


@dataclass(frozen=True)
class TransformerBeamState(TransformerState):
    """The same for several hypotheses of each sentence, with one row for the sentence and an allocated cache.

    A step writes into that cache, so that a state can be continued only once.
    """

    ancestors: Ancestors
    source_bias: Float[Tensor, "batch 1 source"] | None

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "TransformerBeamState":
        """Changes the table of ancestors alone; keys and values stay where they are."""
        return replace(self, ancestors=self.ancestors.reorder(parents))

    def keep(self, sentences: Int[Tensor, " kept"], size: int) -> "TransformerBeamState":
        """These sentences alone."""
        return replace(
            replace(self, written=()).select(sentences),
            written=tuple(keep_written(each, sentences, size, self.ancestors) for each in self.written),
        )


class DecoderLayer(nn.Module):
    """Causal self-attention, attention over the source, then feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = config.attention()
        self.cross_attention = config.attention()
        self.feedforward = config.feedforward()
        self.around_self_attention = config.residual()
        self.around_cross_attention = config.residual()
        self.around_feedforward = config.residual()

    def forward(
        self,
        stream: ResidualStream,
        written: KeysValues,
        source: KeysValues,
        visibility: Visibility,
        source_visibility: Visibility,
    ) -> tuple[ResidualStream, KeysValues]:
        """The states of new positions, and everything written up to and including them."""
        stream, written = look_back(self.self_attention, self.around_self_attention, stream, written, visibility)
        stream = self.around_cross_attention(stream, lambda x: self.cross_attention(x, source, source_visibility))
        return self.around_feedforward(stream, self.feedforward), written


class Encoder(SelfAttentionStack):
    """A stack of self-attention layers: from embeddings to what the decoder will attend to."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, config.encoder_layers)


class Decoder(nn.Module):
    """A stack of decoder layers. It reads one new position or many, after earlier ones or none, by the same code."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.end = config.end()

    def source(self, memory: Float[Tensor, "batch source width"]) -> tuple[KeysValues, ...]:
        """For each layer, the keys and values of the source: no later position changes them."""
        return tuple(cast(DecoderLayer, layer).cross_attention.keys_values(memory) for layer in self.layers)

    def initial_state(self, memory: Float[Tensor, "batch source width"]) -> tuple[KeysValues, ...]:
        """For each layer, the keys and values of no position at all."""
        return tuple(cast(DecoderLayer, layer).self_attention.initial_state(memory) for layer in self.layers)

    def forward(
        self,
        states: Float[Tensor, "batch target width"],
        written: tuple[KeysValues, ...],
        source: tuple[KeysValues, ...],
        visibility: Visibility,
        source_visibility: Visibility,
    ) -> tuple[Float[Tensor, "batch target width"], tuple[KeysValues, ...]]:
        """From embeddings of new positions to their final states, and all that is written now."""
        stream, now = ResidualStream.of(states), []
        for layer, before, keys_values in zip(self.layers, written, source, strict=True):
            stream, after = layer(stream, before, keys_values, visibility, source_visibility)
            now.append(after)
        return self.end(stream.states), tuple(now)


class Transformer(ReadsPacked[TransformerMemory, TransformerState], LinearOutput, CompilesSearch):
    """An encoder and a decoder made of attention alone."""

    def __init__(self, config: TransformerConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        if config.tie in ("all", "embeddings") and source_vocabulary != target_vocabulary:
            raise ConfigError(
                f"`model.tie` must be 'target' or 'none' when the vocabularies differ, but is {config.tie!r} with "
                f"{source_vocabulary} source and {target_vocabulary} target pieces. Set `model.tie` or `data.joint`."
            )
        self.config = config
        self.packs = config.packs
        # The layer below the top one looks most like a word alignment: the top layer already prepares the next word. Of
        # two layers it is the upper one nevertheless, since the lower one looks at the source for the first time.
        layers = config.decoder_layers
        self.alignment_blocks = (f"decoder.layers.{layers - 2 if layers > 2 else layers - 1}.cross_attention",)

        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        initialise(self, config)
        self.target_embedding = config.embedding(target_vocabulary)
        shared = config.tie in ("all", "embeddings")
        self.source_embedding = self.target_embedding if shared else config.embedding(source_vocabulary)
        tied = config.tie in ("all", "target")
        self.output = self.target_embedding if tied else config.embedding(target_vocabulary)
        self.source_positions = config.position_table()
        self.target_positions = config.position_table()
        if config.target_space_rows:
            self.target_space = Embedding(config.target_space_rows, config.width)
        if config.output_bias:
            self.output_bias = nn.Parameter(torch.zeros(target_vocabulary))
        self._compiled: Compiled | None = None
        self._aligned: AlignedProjection | None = None

    @property
    def source_attentions(self) -> tuple[str, ...]:
        """The cross-attention of every layer."""
        return tuple(f"decoder.layers.{layer}.cross_attention" for layer in range(self.config.decoder_layers))

    def encode(self, source: Sequences | Packed) -> TransformerMemory:
        """Section 3.1: every position of the source, having looked at all the others in each layer."""
        if self._compiled is not None and isinstance(source, Sequences) and not watched(self):
            return self._compiled.encode(self, source)
        if self.config.target_space_rows:
            places = self.source_positions.of(source) + self.target_space.weight[0]
            embedded = self.source_embedding(source.tokens)
            states = add_positions(embedded, self.source_positions, places, self.source_embedding.scale)
            states = dropout(states, self.config.dropout, self.training)
        else:
            states = embed_with_positions(self.source_embedding, self.source_positions, source, self._dropout)
        visibility = Visibility.within(source, window=self.config.attention_window)
        return TransformerMemory(self.encoder(states, visibility), source.mask, source.packing)

    def states(self, reads: Sequences | Packed, memory: TransformerMemory) -> Float[Tensor, "batch target width"]:
        """All positions of the target at once; the causal mask keeps each from seeing what it must predict."""
        state = self.start(memory)
        visibility = Visibility.within(reads, causal=True, window=self.config.attention_window)
        if self.config.start_of_target == "zero":
            embedded = self._embed_target(reads.tokens, self.target_positions.of(reads))
        else:
            embedded = embed_with_positions(self.target_embedding, self.target_positions, reads, self._dropout)
        states: Tensor
        states, _ = self.decoder(embedded, state.written, state.source, visibility, memory.visible_to(reads))
        return states

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """Section 3.4: the pre-softmax projection, by default the matrix of the embeddings."""
        if self._aligned is not None:
            return self._aligned(states)
        logits = self.output.logits(states)
        return logits + self.output_bias if self.config.output_bias else logits

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """The matrix of `logits`."""
        return self.output.weight

    @property
    def projection_bias(self) -> Float[Tensor, " vocabulary"] | None:
        """The bias of `logits`."""
        return self.output_bias if self.config.output_bias else None

    def start(self, memory: TransformerMemory) -> TransformerState:
        """Nothing written yet; the source is projected here, once."""
        if self._compiled is not None and memory.packing is None and not watched(self):
            source = self._compiled.source(memory)
        else:
            source = self.decoder.source(memory.states)
        return TransformerState(self.decoder.initial_state(memory.states), source, memory.mask)

    def step(
        self, token: Int[Tensor, " batch"], state: TransformerState
    ) -> tuple[Float[Tensor, "batch vocabulary"], TransformerState]:
        """One position: what `states` and `logits` compute for the last of the tokens read so far."""
        if isinstance(state, TransformerBeamState):
            if self._compiled is not None and not watched(self):
                return self._compiled.step(self, token, state)
            return self._step_of_branches(token, state)
        place = self.target_positions(len(state.written[0]), 1).unsqueeze(0)
        visibility = Visibility(causal=True, window=self.config.attention_window)
        states, written = self.decoder(
            self._embed_target(token.unsqueeze(1), place),
            state.written,
            state.source,
            visibility,
            Visibility(keys=state.source_mask),
        )
        return self.logits(states[:, 0]), TransformerState(written, state.source, state.source_mask)

    def compiled_steps(
        self, state: TransformerBeamState, search: Search, most: int, enough: int
    ) -> tuple[TransformerBeamState, Selected] | None:
        """Up to `most` steps of a search by the C++ of `kernels/`; None where it does not know the model or is watched.

        It stops earlier once at most `enough` sentences are not complete.
        """
        if self._compiled is None or watched(self):
            return None
        return self._compiled.steps(self, state, search, most, enough)

    def can_compile_search(self, int8: bool) -> bool:
        """Whether the C++ of `kernels/` knows this model, and with `int8` can multiply bytes on this CPU."""
        from saccade.models.transformer_fast import can_compile

        return can_compile(self, int8)

    def compile_search(self, int8: bool = False) -> None:
        """From now on, a search is computed by the C++ of `kernels/`, if that knows this model.

        On a GPU, logits are computed by a copy of their matrix with rows that suit it.
        """
        from saccade.models.transformer_fast import Compiled, can_compile

        self._compiled = Compiled(self, int8) if can_compile(self, int8) else None
        if self.projection.is_cuda:
            self._aligned = AlignedProjection.of(self.projection, self.projection_bias)

    def _step_of_branches(
        self, token: Int[Tensor, " batch"], state: TransformerBeamState
    ) -> tuple[Float[Tensor, "batch vocabulary"], TransformerBeamState]:
        """The same with the hypotheses of each sentence side by side, as if they were positions of one row.

        Only self-attention has to tell them apart: the table of ancestors says which keys belong to which hypothesis.
        """
        sentences, size = len(state.source_mask), state.ancestors.size
        place = functional.embedding(state.ancestors.position, self.target_positions.table).unsqueeze(1)
        embedded = self._embed_target(token.view(sentences, size), place.expand(-1, size, -1))
        ancestors, cache_step = state.ancestors.advance(self.config.attention_window)
        source_step = CacheStep(state.source_bias)
        states, _ = self.decoder(
            embedded,
            tuple(BeamKeysValues(before.keys, before.values, cache_step) for before in state.written),
            tuple(BeamKeysValues(source.keys, source.values, source_step) for source in state.source),
            Visibility(),
            Visibility(),
        )
        return self.logits(states.flatten(0, 1)), replace(state, ancestors=ancestors)

    @property
    def _dropout(self) -> float:
        return self.config.dropout if self.training else 0.0

    def _embed_target(
        self, reads: Int[Tensor, "batch target"], positions: Float[Tensor, "#batch target width"]
    ) -> Float[Tensor, "batch target width"]:
        states = self.target_embedding(reads)
        if self.config.start_of_target == "zero":
            states = states.masked_fill((reads == BOS).unsqueeze(-1), 0.0)
        states = add_positions(states, self.target_positions, positions, self.target_embedding.scale)
        return dropout(states, self.config.dropout, self.training)
