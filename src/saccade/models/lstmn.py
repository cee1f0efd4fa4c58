"""LSTMN as encoder and decoder: Cheng et al. 2016, "Long Short-Term Memory-Networks for Machine Reading", section 4.

Both sides are stacks of layers that keep tapes of all they have written and read them by attention (equations in
layers/lstmn_tape.py). The source reaches the decoder by shallow fusion, as one more input of its first layer, or by
deep fusion, in which every decoder layer also reads the tapes of the encoder layer of the same height.

The paper names no output layer; here logits = W_o h + b_o of the top layer.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.alignment_catalogue import AlignmentName, alignment
from saccade.attention.scores import ScoreName, score
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.initialisation import init_uniform, scaled_range
from saccade.layers.lstmn_tape import DeepFusion, FusionLayer, ShallowFusion, SourceTape, Tape, TapeLayer
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer, rows_of_parents
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class LSTMNConfig:
    """The sizes of the paper's smaller inference model."""

    fusion: Literal["shallow", "deep"] = "deep"
    layers: int = 1
    """Of each side."""
    width: int = 300
    """Of hidden states, memories and scores."""
    embedding_width: int | None = None
    """None: `width`."""
    score: ScoreName = "additive"
    """How shallow fusion finds the source."""
    alignment: AlignmentName = "soft"
    reach: int = 10
    """How far local alignments look to each side."""
    top_k: int = 4
    """How many source positions a "top-k" alignment keeps."""
    initial_range: float | None = None
    """Weights begin uniformly between minus and plus this. None: the authors' 0.05 at their width, and at others what
    makes sums over the width vary as much; in a narrow model their own would leave nothing of the input."""
    dropout: float = 0.2
    """On embeddings, between layers and on what the last matrix reads."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "layers", "width", "embedding_width", "reach", "top_k", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_range")
        if self.fusion == "deep" and (self.score, self.alignment) != ("additive", "soft"):
            raise ConfigError(
                f"`score` and `alignment` must be 'additive' and 'soft' with deep fusion, but are {self.score!r} and "
                f"{self.alignment!r}: there the source is read as the own tape is. Use `fusion` 'shallow'."
            )
        if self.alignment == "diagonal" and self.score not in ("dot", "scaled-dot"):
            raise ConfigError(
                f"`score` must be 'dot' with a diagonal alignment, which asks no score, but is {self.score!r}: "
                "its weights would never learn. Set `score` to 'dot'."
            )

    @property
    def embedding(self) -> int:
        """The width of the embeddings."""
        return self.embedding_width or self.width

    @property
    def largest_weight(self) -> float:
        """The bound of the uniform distribution that weights are drawn from."""
        return self.initial_range or scaled_range(self.width, published=0.05, published_width=300)


@dataclass(frozen=True)
class LSTMNMemory(Memory):
    """The tapes of the source: for deep fusion those of every layer, for shallow fusion those of the last."""

    hidden: tuple[Float[Tensor, "batch source width"], ...]
    memory: tuple[Float[Tensor, "batch source width"], ...]
    real: Bool[Tensor, "batch source"]


@dataclass(frozen=True)
class LSTMNState(State):
    """The tape of each decoder layer, and the sources that its first layers read."""

    tapes: tuple[Tape, ...]
    sources: tuple[SourceTape | PreparedKeysValues, ...]

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "LSTMNState":
        """Only the tapes are reordered: the hypotheses of a sentence share its source."""
        rows = rows_of_parents(parents)
        return replace(self, tapes=tuple(tape.select(rows) for tape in self.tapes))


class LSTMNEncoder(nn.Module):
    """A stack of layers over the source."""

    def __init__(self, config: LSTMNConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        inputs = [config.embedding] + [config.width] * (config.layers - 1)
        self.layers = nn.ModuleList(TapeLayer(width, config.width) for width in inputs)

    def forward(self, states: Float[Tensor, "batch source embedding"]) -> tuple[Tape, ...]:
        """The tapes of every layer; their first slot is the zeros they began with."""
        tapes = []
        for layer in self.layers:
            states = dropout(states, self.dropout, self.training)
            states, tape = layer(states, Tape.blank(cast(TapeLayer, layer).recurrent.weight, len(states)))
            tapes.append(tape)
        return tuple(tapes)


class LSTMNDecoder(nn.Module):
    """A stack of layers over the target, of which the first, or each, reads the source."""

    def __init__(self, config: LSTMNConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        inputs = [config.embedding] + [config.width] * (config.layers - 1)
        layers: list[TapeLayer] = [DeepFusion(width, config.width) for width in inputs]
        if config.fusion == "shallow":
            scored = score(config.score, config.width, config.width, config.width, config.maximum_length)
            attention = Attention(scored, alignment(config.alignment, config.width, config.reach, config.top_k))
            fused = ShallowFusion(inputs[0], config.width, attention)
            layers = [fused, *(TapeLayer(width, config.width) for width in inputs[1:])]
        self.layers = nn.ModuleList(layers)

    def sources(self, memory: LSTMNMemory) -> tuple[SourceTape | PreparedKeysValues, ...]:
        """What each layer that reads the source reads, made ready."""
        return tuple(
            cast(FusionLayer[Any], layer).prepare_source(hidden, cells, memory.real)
            for layer, hidden, cells in zip(self.layers, memory.hidden, memory.memory, strict=False)
        )

    def forward(
        self, states: Float[Tensor, "batch target embedding"], state: LSTMNState
    ) -> tuple[Float[Tensor, "batch target width"], LSTMNState]:
        """The top layer's hidden states at further positions, one or many, and the state after them."""
        tapes = []
        for place, (layer, tape) in enumerate(zip(self.layers, state.tapes, strict=True)):
            states = dropout(states, self.dropout, self.training)
            if place < len(state.sources):
                states, tape = cast(FusionLayer[Any], layer).fused(states, tape, state.sources[place])
            else:
                states, tape = layer(states, tape)
            tapes.append(tape)
        return dropout(states, self.dropout, self.training), replace(state, tapes=tuple(tapes))


class LSTMN(Transducer[LSTMNMemory, LSTMNState]):
    """An encoder and a decoder that forget nothing they have written."""

    def __init__(self, config: LSTMNConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        if config.fusion == "shallow":
            self.alignment_blocks = ("decoder.layers.0.attention",)
        else:
            self.alignment_blocks = tuple(f"decoder.layers.{place}.source_reader" for place in range(config.layers))
        self.source_embedding = nn.Embedding(source_vocabulary, config.embedding)
        self.target_embedding = nn.Embedding(target_vocabulary, config.embedding)
        self.encoder = LSTMNEncoder(config)
        self.decoder = LSTMNDecoder(config)
        self.output = nn.Linear(config.width, target_vocabulary)
        init_uniform(self, config.largest_weight)

    def encode(self, source: Sequences) -> LSTMNMemory:
        """Reads the source from left to right. What is written on padding is masked."""
        tapes = self.encoder(self.source_embedding(source.tokens))
        if self.config.fusion == "shallow":
            tapes = tapes[-1:]
        return LSTMNMemory(
            tuple(tape.hidden[:, 1:] for tape in tapes), tuple(tape.memory[:, 1:] for tape in tapes), source.mask
        )

    def states(self, reads: Sequences, memory: LSTMNMemory) -> Float[Tensor, "batch target width"]:
        """One position after the other, since each reads what those before it have written."""
        states, _ = self.decoder(self.target_embedding(reads.tokens), self.start(memory))
        result: Tensor = states
        return result

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W_o h + b_o."""
        scores: Tensor = self.output(states)
        return scores

    def start(self, memory: LSTMNMemory) -> LSTMNState:
        """Blank tapes; the source is made ready here, once."""
        blank = Tape.blank(self.output.weight, len(memory.real))
        return LSTMNState((blank,) * self.config.layers, self.decoder.sources(memory))

    def step(
        self, token: Int[Tensor, " batch"], state: LSTMNState
    ) -> tuple[Float[Tensor, "batch vocabulary"], LSTMNState]:
        """One position: the tapes become longer by a slot."""
        states, state = self.decoder(self.target_embedding(token.unsqueeze(1)), state)
        return self.logits(states[:, 0]), state
