"""ConvS2S: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning".

    input          e_j = w_j + p_j,  g_i the same on the target side
    encoder layer  z^l = v(W^l [z^{l-1} around j] + b) + z^{l-1}
    decoder layer  h^l = v(W^l [h^{l-1} up to i] + b) + h^{l-1}
                   d_i^l = W_d^l h_i^l + b_d^l + g_i,  a_ij^l = softmax_j(d_i^l . z_j),
                   c_i^l = sum_j a_ij^l (z_j + e_j),  h_i^l + c_i^l goes on
    output         softmax(W_o h_i^L + b_o)

Every decoder layer attends, so a layer knows where the one below it looked (multi-step attention). No position waits
for another in training. Nothing is normalised while it runs; the sizes of sums, weights and gradients are controlled
instead (section 3.4): sums of two times sqrt(1/2), a mean over m positions times m sqrt(1/m), the gradient that
reaches the encoder divided by the number of attentions, and matrices whose rows are normalised (weight normalisation).
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment_catalogue import alignment
from saccade.attention.scores import ScoreName, score
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.convs2s_stacks import ConvDecoder, ConvEncoder
from saccade.layers.position import LearnedPositions, add_positions
from saccade.layers.variance import VARIANCE_SCALINGS, LinearFactory, scaled_gradient
from saccade.models.checks import at_least_one, dropout_rates
from saccade.models.contract import Memory, State, Transducer, rows_of_parents
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class ConvS2SConfig:
    """The sizes of the paper's English-Romanian model; its other models widen the last layers of both stacks."""

    encoder_layers: int = 20
    decoder_layers: int = 20
    width: int = 512
    """d: what the convolutions give."""
    embedding_width: int | None = None
    """f: words, positions, what attention compares and what the last matrix reads. None: `width`."""
    kernel_width: int = 3
    """k: how many positions a convolution sees."""
    top_expansions: tuple[float, ...] = ()
    """How many times `width` the last layers of both stacks are wide, one number for each of them."""
    top_kernel_widths: tuple[int, ...] = ()
    """The k of the last layers of both stacks."""
    attending_layers: tuple[int, ...] | None = None
    """Which decoder layers attend, counted from 1 as in the paper's table. None: all."""
    source_positions: bool = True
    target_positions: bool = True
    score: ScoreName = "dot"
    alignment: Literal[
        "soft", "hard", "local-m", "local-p", "top-k", "sparsemax", "sigmoid", "reinforced", "reinforced-subset"
    ] = "soft"
    reach: int = 10
    """How far local alignments look to each side."""
    top_k: int = 4
    """How many source positions a "top-k" alignment keeps."""
    wiring: Literal["paper", "fairseq", "unscaled"] = "paper"
    """"fairseq", the authors' code, attends before the residual sum, halves more variances, and divides the gradient
    of the encoder by twice the number of attentions; "unscaled" leaves section 3.4 out, for comparison."""
    weight_normalisation: bool = True
    dropout: float = 0.2
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(
            self,
            "encoder_layers",
            "decoder_layers",
            "width",
            "embedding_width",
            "kernel_width",
            "reach",
            "top_k",
            "maximum_length",
        )
        dropout_rates(self, "dropout")
        for name in ("top_expansions", "top_kernel_widths"):
            if len(getattr(self, name)) > min(self.encoder_layers, self.decoder_layers):
                raise ConfigError(
                    f"`{name}` must name no more layers than each stack has, but names {len(getattr(self, name))}. "
                    "Name fewer, or add layers."
                )
        if even := [size for size in (self.kernel_width, *self.top_kernel_widths) if size % 2 == 0]:
            raise ConfigError(f"`kernel_width` must be odd to have a centre, but is {even[0]}. Take one more or less.")
        if self.attending_layers is not None:
            _check_layers(self.attending_layers, self.decoder_layers)

    @property
    def embedding(self) -> int:
        """The paper's f."""
        return self.embedding_width or self.width

    @property
    def attending(self) -> tuple[int, ...]:
        """The layers that attend, counted from 1."""
        return tuple(range(1, self.decoder_layers + 1)) if self.attending_layers is None else self.attending_layers

    def shapes(self, layers: int) -> list[tuple[int, int]]:
        """The width and the kernel of each layer of a stack."""
        widths = [self.width] * layers
        kernels = [self.kernel_width] * layers
        for place, expansion in enumerate(self.top_expansions):
            widths[layers - len(self.top_expansions) + place] = round(self.width * expansion)
        for place, size in enumerate(self.top_kernel_widths):
            kernels[layers - len(self.top_kernel_widths) + place] = size
        return list(zip(widths, kernels, strict=True))

    @property
    def maps(self) -> LinearFactory:
        """What makes the matrices of this model."""
        return LinearFactory(self.dropout, self.weight_normalisation)

    def attention(self) -> Attention:
        """One attention over the source."""
        scored = score(self.score, self.embedding, self.embedding, self.embedding, self.maximum_length)
        return Attention(scored, alignment(self.alignment, self.embedding, self.reach, self.top_k))


def _check_layers(attending: tuple[int, ...], layers: int) -> None:
    if not attending or not all(1 <= layer <= layers for layer in attending):
        raise ConfigError(
            f"`attending_layers` must name some of the layers 1 to {layers}, but is {list(attending)}. "
            "At least one must attend, or the decoder knows nothing of the source."
        )


@dataclass(frozen=True)
class ConvS2SMemory(Memory):
    """What every decoder layer attends to."""

    keys: Float[Tensor, "batch source embedding"]
    """z: the encoder's output."""
    values: Float[Tensor, "batch source embedding"]
    """z + e: where to look is found by the surroundings of a word, and what is taken is also the word itself."""
    real: Bool[Tensor, "batch source"]
    factor: Float[Tensor, " batch"]
    """What a context is multiplied by."""


AnyConvS2SState = TypeVar("AnyConvS2SState", bound="ConvS2SState")


@dataclass(frozen=True)
class ConvS2SState(State):
    """For each layer its last k - 1 inputs, which are all that a later position can see; and the source."""

    recent: tuple[Float[Tensor, "batch _ _"], ...]
    position: Int[Tensor, " batch"]
    sources: tuple[PreparedKeysValues, ...]
    """For each attention, its keys and values."""
    factor: Float[Tensor, " batch"]

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "ConvS2SState":
        """Only the recent inputs are reordered: the hypotheses of a sentence share its source."""
        rows = rows_of_parents(parents)
        return replace(self, recent=tuple(inputs.index_select(0, rows) for inputs in self.recent))

    def _map(self: AnyConvS2SState, change: Any) -> AnyConvS2SState:
        """Keys and values that all attentions share are changed once, and stay shared."""
        changed: dict[int, Tensor] = {}

        def once(tensor: Tensor) -> Tensor:
            if id(tensor) not in changed:
                changed[id(tensor)] = change(tensor)
            return changed[id(tensor)]

        return super()._map(once)


class ConvS2S(Transducer[ConvS2SMemory, ConvS2SState]):
    """An encoder and a decoder made of convolutions, with attention between them in every layer."""

    def __init__(self, config: ConvS2SConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.embedding)
        self.config = config
        self.alignment_blocks = tuple(f"decoder.layers.{layer - 1}.attention" for layer in config.attending)
        self.wiring = wiring = VARIANCE_SCALINGS[config.wiring]

        maps, embedding = config.maps, config.embedding
        shapes = config.shapes(config.encoder_layers), config.shapes(config.decoder_layers)
        self.encoder = ConvEncoder(maps, wiring, shapes[0], embedding)
        self.decoder = ConvDecoder(maps, wiring, shapes[1], embedding, config.attention, config.attending)
        self.source_embedding = _table(source_vocabulary, config.embedding)
        self.target_embedding = _table(target_vocabulary, config.embedding)
        self.source_places = _places(config) if config.source_positions else None
        self.target_places = _places(config) if config.target_positions else None
        self.output = maps.linear(embedding, target_vocabulary, dropped=True)

    def encode(self, source: Sequences) -> ConvS2SMemory:
        """Reads the source, every position within sight of (k-1)/2 neighbours to each side in each layer."""
        embedded = self.source_embedding(source.tokens)
        if self.source_places is not None:
            embedded = add_positions(embedded, self.source_places, self.source_places.of(source), 1.0)
        embedded = dropout(embedded, self.config.dropout, self.training)
        keys = self.encoder(embedded, source.mask)
        # The gradient of a model in evaluation mode is the true one.
        if self.wiring.gradient is not None and self.training:
            keys = scaled_gradient(keys, 1 / (self.wiring.gradient * len(self.config.attending)))
        factor = self.wiring.factor(source.lengths, keys.dtype)
        return ConvS2SMemory(keys, (keys + embedded) * self.wiring.values, source.mask, factor)

    def states(self, reads: Sequences, memory: ConvS2SMemory) -> Float[Tensor, "batch target embedding"]:
        """All positions of the target at once: no window reaches beyond the position it is for."""
        embedded = self.target_embedding(reads.tokens)
        if self.target_places is not None:
            embedded = add_positions(embedded, self.target_places, self.target_places.of(reads), 1.0)
        embedded = dropout(embedded, self.config.dropout, self.training)
        states = self.decoder(embedded, self._sources(memory), memory.factor, reads.positions)
        return dropout(states, self.config.dropout, self.training)

    def logits(self, states: Float[Tensor, "*rows embedding"]) -> Float[Tensor, "*rows vocabulary"]:
        """W_o h + b_o."""
        scores: Tensor = self.output(states)
        return scores

    def start(self, memory: ConvS2SMemory) -> ConvS2SState:
        """Nothing but zeros before the first position."""
        batch = len(memory.real)
        return ConvS2SState(
            recent=tuple(memory.keys.new_zeros(batch, before, width) for before, width in self.decoder.before),
            position=torch.zeros_like(memory.factor, dtype=torch.int64),
            sources=self._sources(memory),
            factor=memory.factor,
        )

    def step(
        self, token: Int[Tensor, " batch"], state: ConvS2SState
    ) -> tuple[Float[Tensor, "batch vocabulary"], ConvS2SState]:
        """One position: what `states` and `logits` compute for the last of the tokens read so far."""
        embedded = self.target_embedding(token.unsqueeze(1))
        if self.target_places is not None:
            embedded = embedded + functional.embedding(state.position, self.target_places.table).unsqueeze(1)
        positions = state.position.unsqueeze(1)
        states, recent = self.decoder.step(embedded, state.recent, state.sources, state.factor, positions)
        return self.logits(states[:, 0]), replace(state, recent=recent, position=state.position + 1)

    def _sources(self, memory: ConvS2SMemory) -> tuple[PreparedKeysValues, ...]:
        return self.decoder.sources(memory.keys, memory.values, memory.real)


def _table(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.1)
    return table


def _places(config: ConvS2SConfig) -> LearnedPositions:
    places = LearnedPositions(config.maximum_length, config.embedding)
    nn.init.normal_(places.table, std=0.1)
    return places
