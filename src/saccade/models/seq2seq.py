"""Sequence to sequence learning: Sutskever et al. 2014. Two deep LSTMs, and nothing between them but states.

    encoder    h^l_t, c^l_t = LSTM(h^{l-1}_t, h^l_{t-1}, c^l_{t-1}),  h^0_t = E x_t,  x = the source read backwards
    hand-over  the decoder's h^l_0, c^l_0 are the encoder's after its last position, for every layer l
    decoder    the same equations with weights of its own, h^0_t = F y_{t-1}
    output     p(y_t | y_<t, x) = softmax(W h^L_t)

The whole sentence passes through the states of the hand-over: whatever its length, so many numbers. The source is read
from its last word to its first, and then EOS (section 3.3). That leaves the mean distance between a word and its
translation what it was, but the first ones are now close together, and from them learning finds its way to the rest.
"""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.layers.initialisation import init_uniform, scaled_range
from saccade.layers.reversal import order_of_reading, words_reversed
from saccade.layers.rnn import Carry, RNNStack
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class SutskeverConfig:
    """The sizes of section 3.4."""

    width: int = 1000
    """Cells of each layer, and the size of the word vectors."""
    layers: int = 4
    """Of each of the two LSTMs. One more made the perplexity almost a tenth smaller."""
    dropout: float = 0.0
    """On the input of every layer and of the output, never from one position to the next; the paper had none."""
    reverse_source: bool = True
    initial_range: float | None = None
    """Every parameter starts uniformly between minus this and this. None: 0.08 at the paper's width, and at others
    what makes sums over the width vary as much; in a narrow model the paper's own would leave nothing of the input."""
    tie: Literal["none", "target"] = "none"
    """"target" makes the word vectors of the target and the output matrix one; the paper had two."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "layers", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_range")

    @property
    def largest_weight(self) -> float:
        """The bound of the uniform distribution that parameters are drawn from."""
        return self.initial_range or scaled_range(self.width, published=0.08)


@dataclass(frozen=True)
class SutskeverMemory(Memory):
    """All that is left of the source: the states of every layer after its last position."""

    carry: Carry


@dataclass(frozen=True)
class SutskeverState(State):
    """The decoder's states, which know the source from the beginning and what was written since."""

    carry: Carry


class Sutskever(Transducer[SutskeverMemory, SutskeverState], LinearOutput):
    """An LSTM that reads and an LSTM that writes."""

    def __init__(self, config: SutskeverConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.source_embedding = nn.Embedding(source_vocabulary, config.width)
        self.target_embedding = nn.Embedding(target_vocabulary, config.width)
        self.encoder = RNNStack("lstm", config.width, config.width, config.layers, config.dropout)
        self.decoder = RNNStack("lstm", config.width, config.width, config.layers, config.dropout)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)
        if config.tie == "target":
            self.output.weight = self.target_embedding.weight
        init_uniform(self, config.largest_weight)

    def encode(self, source: Sequences) -> SutskeverMemory:
        """Reads the source, backwards where the config says so, and keeps the last states."""
        read = words_reversed(source) if self.config.reverse_source else source
        if watch := watcher(self.encoder):
            watch(order=order_of_reading(source) if self.config.reverse_source else None)
        _, carry = self.encoder.read(self._dropped(self.source_embedding(read.tokens)), read.lengths)
        return SutskeverMemory(carry)

    def states(self, reads: Sequences, memory: SutskeverMemory) -> Float[Tensor, "batch target width"]:
        """The top layer of the decoder at every position."""
        states, _ = self.decoder(self._dropped(self.target_embedding(reads.tokens)), memory.carry)
        return self._dropped(states)

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W h."""
        return functional.linear(states, self.output.weight)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """W."""
        return self.output.weight

    def start(self, memory: SutskeverMemory) -> SutskeverState:
        """The decoder goes on where the encoder stopped."""
        return SutskeverState(memory.carry)

    def step(
        self, token: Int[Tensor, " batch"], state: SutskeverState
    ) -> tuple[Float[Tensor, "batch vocabulary"], SutskeverState]:
        """One position of every layer."""
        embedded = self._dropped(self.target_embedding(token.unsqueeze(1)))
        states, carry = self.decoder(embedded, state.carry)
        return self.logits(self._dropped(states[:, 0])), SutskeverState(carry)

    def _dropped(self, states: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return dropout(states, self.config.dropout, self.training)
