"""One language model with three kinds of state: Sun et al. 2024, table 1, "Learning to (Learn at Test Time)".

    state             before anything is read   a token is read              cost of the next token
    a list            empty                     its key and value appended   grows with what was read   self-attention
    a vector          zeros                     s = cell(s, x)               constant                   LSTM
    weights           learned W_0               one step of training         constant                   TTT-linear

Every layer is the same around it: x + Mix(LayerNorm(x)), then x + FFN(LayerNorm(x)). In all three a short convolution
over the last few positions comes first. It makes positions distinguishable, so that no position vectors are needed, and
lets a token see the one before it.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues, MultiHeadAttention
from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.convolution import ShortConvolution
from saccade.layers.feedforward import FeedForward
from saccade.layers.residual import PreNorm, ResidualStream
from saccade.layers.rnn import Carry, RNNStack
from saccade.layers.ttt_linear import Inner, TTTLinear, Weights
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class StateLanguageModelConfig:
    """The paper's smallest size, 125 million parameters with its vocabulary, by default."""

    state: Literal["weights", "vector", "list"] = "weights"
    layers: int = 12
    width: int = 768
    inner_width: int | None = None
    """Of the feed-forward networks. None: four times `width`."""
    heads: int = 12
    """Of attention, or matrices of weights; a vector has none."""
    convolution: int = 4
    """How many positions are mixed before the state is asked; 1: none but the position itself."""
    mini_batch: int = 16
    """How many tokens are learned from at the same weights."""
    rate: float = 1.0
    """The base of the rate at which weights learn while reading."""
    inner: Inner = "normalised"
    """What the weights are weights of: x + LayerNorm(x W), or x W alone ("plain")."""
    dropout: float = 0.1
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "layers", "width", "inner_width", "heads", "convolution", "mini_batch", "maximum_length")
        dropout_rates(self, "dropout")
        if not self.rate > 0:
            raise ConfigError(f"`rate` must be more than 0, but is {self.rate}. Without one nothing is learned.")
        if self.state != "vector" and self.width % self.heads:
            raise ConfigError(
                f"`width` must be a multiple of `heads`, but is {self.width} with {self.heads} heads. Change one."
            )

    def mixer(self) -> "Mixer":
        """What one layer keeps of the past, and how it reads it."""
        match self.state:
            case "weights":
                return TTTLinear(self.width, self.heads, self.mini_batch, self.rate, self.inner)
            case "vector":
                return VectorState(self.width)
            case "list":
                return ListState(self.width, self.heads)


class Mixer(Protocol):
    """What a layer keeps of the past and how it reads it: `held` is its state, of a type of its own."""

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Any:
        """The state before anything is read, for as many rows as `like` has."""

    def __call__(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """A whole sequence from its beginning."""

    def step(self, states: Float[Tensor, "batch 1 width"], held: Any) -> tuple[Float[Tensor, "batch 1 width"], Any]:
        """One position, and the state after it."""


class VectorState(nn.Module):
    """An LSTM: what was read is in two vectors."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.recurrent = RNNStack("lstm", width, width)

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Carry:
        """The vectors before anything is read."""
        return self.recurrent.initial_state(like)

    def forward(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """What it makes of a whole sequence."""
        return self.step(states, self.initial_state(states))[0]

    def step(
        self, states: Float[Tensor, "batch length width"], held: Carry
    ) -> tuple[Float[Tensor, "batch length width"], Carry]:
        """What it makes of further positions."""
        return self.recurrent(states, held)


class ListState(nn.Module):
    """Causal self-attention: what was read is a list of keys and values."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(width, heads, width // heads, width // heads)
        for matrix in self.attention.children():
            nn.init.xavier_uniform_(cast(nn.Linear, matrix).weight)

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> KeysValues:
        """An empty list."""
        return self.attention.initial_state(like.flatten(1).unsqueeze(-1))

    def forward(self, states: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """What it makes of a whole sequence."""
        return self.step(states, self.initial_state(states))[0]

    def step(
        self, states: Float[Tensor, "batch length width"], held: KeysValues
    ) -> tuple[Float[Tensor, "batch length width"], KeysValues]:
        """What it makes of further positions."""
        queries, new = self.attention.project(states)
        held = held.append(new)
        return self.attention.mix(queries, held, Visibility(causal=True)), held


@dataclass(frozen=True)
class LayerState(State):
    """The last inputs of one layer's convolution, and what its state holds."""

    recent: Float[Tensor, "batch before width"]
    held: Weights | Carry | KeysValues


@dataclass(frozen=True)
class StateLanguageModelState(State):
    """What every layer has kept of what was read."""

    layers: tuple[LayerState, ...]


class StateLayer(nn.Module):
    """A convolution and a state, then a feed-forward network."""

    def __init__(self, config: StateLanguageModelConfig) -> None:
        super().__init__()
        self.convolution = ShortConvolution(config.width, config.convolution)
        self.mixer = config.mixer()
        self.feedforward = FeedForward(config.width, config.inner_width or 4 * config.width)
        self.around_mixer = PreNorm(config.width, config.dropout)
        self.around_feedforward = PreNorm(config.width, config.dropout)

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> LayerState:
        """The state before anything is read."""
        return LayerState(self.convolution.initial_state(like), self.mixer.initial_state(like))

    def forward(self, stream: ResidualStream) -> ResidualStream:
        """A whole sequence from its beginning."""

        def mix(x: Tensor) -> Tensor:
            return self.mixer(self.convolution(x, self.convolution.initial_state(x))[0])

        return self.around_feedforward(self.around_mixer(stream, mix), self.feedforward)

    def step(self, stream: ResidualStream, state: LayerState) -> tuple[ResidualStream, LayerState]:
        """One position, and the state after it."""

        def mix(x: Tensor) -> Tensor:
            nonlocal state
            near, recent = self.convolution(x, state.recent)
            said, held = self.mixer.step(near, state.held)
            state = LayerState(recent, held)
            return said

        return self.around_feedforward(self.around_mixer(stream, mix), self.feedforward), state


class StateLanguageModel(LanguageModel[StateLanguageModelState], LinearOutput):
    """A stack of layers that differ from other stacks in nothing but what they keep."""

    def __init__(self, config: StateLanguageModelConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.embedding = nn.Embedding(target_vocabulary, config.width)
        self.layers = nn.ModuleList(StateLayer(config) for _ in range(config.layers))
        self.end = PreNorm.end(config.width)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)
        nn.init.normal_(self.output.weight, std=config.width**-0.5)

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:  # noqa: ARG002
        """A list is read by all positions at once, weights by batches of positions, a vector one by one."""
        states = dropout(self.embedding(reads.tokens), self.config.dropout, self.training)
        stream = ResidualStream.of(states)
        for layer in self.layers:
            stream = layer(stream)
        result: Tensor = self.end(stream.states)
        return result

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W h."""
        return functional.linear(states, self.output.weight)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """W."""
        return self.output.weight

    def start(self, memory: EmptySource) -> StateLanguageModelState:
        """Nothing read yet."""
        rows = self.output.weight.new_zeros(len(memory.lengths), 1)
        return StateLanguageModelState(tuple(cast(StateLayer, layer).initial_state(rows) for layer in self.layers))

    def step(
        self, token: Int[Tensor, " batch"], state: StateLanguageModelState
    ) -> tuple[Float[Tensor, "batch vocabulary"], StateLanguageModelState]:
        """One position: what `states` and `logits` compute for the last of the tokens read so far."""
        stream, after = ResidualStream.of(self.embedding(token.unsqueeze(1))), []
        for layer, before in zip(self.layers, state.layers, strict=True):
            stream, kept = cast(StateLayer, layer).step(stream, before)
            after.append(kept)
        return self.logits(self.end(stream.states)[:, 0]), StateLanguageModelState(tuple(after))
