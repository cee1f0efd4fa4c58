"""Attention after the recurrence, global and local: Luong et al. 2015.

    h_t   = LSTM([F y_{t-1}; h~_{t-1}], ...)       the decoder's top layer; h~_{t-1} only with input feeding
    e_ts  = score(h_t, hbar_s)                     hbar_s: the encoder's top layer
    a_t   = align(e_t)                             over all of the source, or a window around a place p_t
    c_t   = sum_s a_ts hbar_s
    h~_t  = tanh(W_c [c_t; h_t])
    p(y_t | y_<t, x) = softmax(W_s h~_t)

Where Bahdanau asks with the state before the position, here the state of the position itself asks. So without feeding
nothing that attention finds returns into the recurrence, and all positions can be attended from at once. With feeding
(section 3.3) the next position hears what was looked at, and positions must wait for each other.

The decoder begins with the encoder's last states. The source may be read backwards (section 4.1); its states are put
back in order before they are attended to, so that places, windows and alignments are always those of the source.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment_catalogue import AlignmentName, alignment
from saccade.attention.recording import watcher
from saccade.attention.scores import Dot, ScoreName, score
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.dropout import dropout
from saccade.layers.initialisation import init_uniform, scaled_range
from saccade.layers.reversal import flipped, order_of_reading, words_reversed
from saccade.layers.rnn import Carry, RNNStack
from saccade.layers.rnn_stepwise import StepwiseLSTM
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer, rows_of_parents, rows_of_sentences
from saccade.sequences import Sequences, TensorRows


@dataclass(frozen=True, kw_only=True)
class LuongConfig:
    """The sizes of section 4.1, and as attention the pair that came out best in Table 4."""

    width: int = 1000
    """Cells of each layer, and the size of the word vectors."""
    layers: int = 4
    """Of each of the two LSTMs."""
    score: ScoreName = "general"
    """The paper's own: "dot", "general", "concat", "location"."""
    alignment: AlignmentName = "local-p"
    """The paper's own: "soft" (there: global), "local-m", "local-p". A "diagonal" one asks no score."""
    reach: int = 10
    """D: how far a local window goes to each side."""
    top_k: int = 4
    """How many source positions a "top-k" alignment keeps."""
    location_length: int = 50
    """Places a "location" score knows; words of a longer source beyond them cannot be seen."""
    input_feeding: bool = True
    reverse_source: bool = True
    dropout: float = 0.2
    """On the input of every layer and of the output, never from one position to the next."""
    initial_range: float | None = None
    """Every parameter starts uniformly between minus this and this. None: 0.1 at the paper's width, and at others
    what makes sums over the width vary as much; in a narrow model the paper's own would leave nothing of the input."""
    tie: Literal["none", "target"] = "none"
    """"target" makes the word vectors of the target and the output matrix one; the paper had two."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "layers", "reach", "top_k", "location_length", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_range")

    @property
    def largest_weight(self) -> float:
        """The bound of the uniform distribution that parameters are drawn from."""
        return self.initial_range or scaled_range(self.width, published=0.1)

    def attention(self) -> Attention:
        """The attention of this model."""
        width = self.width
        asked = Dot() if self.alignment == "diagonal" else score(self.score, width, width, width, self.location_length)
        return Attention(asked, alignment(self.alignment, width, self.reach, self.top_k))


@dataclass(frozen=True)
class LuongMemory(Memory):
    """The encoder's top states in the order of the source, where they are real, and every layer's last."""

    states: Float[Tensor, "batch source width"]
    mask: Bool[Tensor, "batch source"]
    carry: Carry


@dataclass(frozen=True)
class LuongDecoderState(TensorRows):
    """What has become of the positions written so far: the layers' states, the last h~, and their number."""

    carry: Carry
    attentional: Float[Tensor, "batch width"]
    position: Int[Tensor, " batch"]


@dataclass(frozen=True)
class LuongState(State):
    """What is written, and the source."""

    written: LuongDecoderState
    source: PreparedKeysValues

    def branch(self, sentences: int, size: int, capacity: int) -> "LuongBeamState":  # noqa: ARG002 no room is needed
        """The source stays as it is, once for each sentence."""
        rows = torch.arange(sentences, device=self.written.position.device).repeat_interleave(size)
        return LuongBeamState(self.written.select(rows), self.source)


@dataclass(frozen=True)
class LuongBeamState(LuongState):
    """The same for several hypotheses of each sentence, which look at one row of the source together."""

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "LuongBeamState":
        """Hypotheses change places within their sentence."""
        return replace(self, written=self.written.select(rows_of_parents(parents)))

    def keep(self, sentences: Int[Tensor, " kept"], size: int) -> "LuongBeamState":
        """These sentences alone."""
        written = self.written.select(rows_of_sentences(sentences, size))
        return LuongBeamState(written, self.source.select(sentences))


class Luong(Transducer[LuongMemory, LuongState], LinearOutput):
    """Two deep LSTMs, the second of which looks back at the first from every position."""

    alignment_blocks = ("attention",)

    def __init__(self, config: LuongConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        width, layers = config.width, config.layers
        self.source_embedding = nn.Embedding(source_vocabulary, width)
        self.target_embedding = nn.Embedding(target_vocabulary, width)
        self.encoder = RNNStack("lstm", width, width, layers, config.dropout)
        self.decoder = RNNStack("lstm", width * (2 if config.input_feeding else 1), width, layers, config.dropout)
        self.attention = config.attention()
        self.combine = nn.Linear(2 * width, width, bias=False)
        self.output = nn.Linear(width, target_vocabulary, bias=False)
        if config.tie == "target":
            self.output.weight = self.target_embedding.weight
        init_uniform(self, config.largest_weight)

    def encode(self, source: Sequences) -> LuongMemory:
        """Reads the source, backwards where the config says so, and puts what it read in the source's order."""
        read = words_reversed(source) if self.config.reverse_source else source
        if watch := watcher(self.encoder):
            watch(order=order_of_reading(source) if self.config.reverse_source else None)
        states, carry = self.encoder.read(self._dropped(self.source_embedding(read.tokens)), read.lengths)
        if self.config.reverse_source:
            states = flipped(states, source.lengths - 1)  # EOS was read last, and is last
        return LuongMemory(states, source.mask, carry)

    def states(self, reads: Sequences, memory: LuongMemory) -> Float[Tensor, "batch target width"]:
        """h~ at every position."""
        embedded = self._dropped(self.target_embedding(reads.tokens))
        source = self._source(memory)
        if self.config.input_feeding:
            return self._fed(embedded, memory.carry, source, reads.positions)
        top, _ = self.decoder(embedded, memory.carry)
        return self._dropped(self._attentional(top, source, reads.positions))

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W_s h~."""
        return functional.linear(states, self.output.weight)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """W_s."""
        return self.output.weight

    def start(self, memory: LuongMemory) -> LuongState:
        """The decoder goes on where the encoder stopped, and nothing was looked at yet."""
        nothing = memory.states.new_zeros(len(memory.states), self.width)
        position = torch.zeros_like(memory.mask[:, 0], dtype=torch.int64)
        return LuongState(LuongDecoderState(memory.carry, nothing, position), self._source(memory))

    def step(
        self, token: Int[Tensor, " batch"], state: LuongState
    ) -> tuple[Float[Tensor, "batch vocabulary"], LuongState]:
        """One position; the hypotheses of a sentence ask as if they were several positions of it."""
        written = state.written
        inputs = self._dropped(self.target_embedding(token))
        if self.config.input_feeding:
            inputs = torch.cat([inputs, written.attentional.to(inputs.dtype)], dim=1)
        top, carry = self.decoder(inputs.unsqueeze(1), written.carry)
        sentences = len(state.source.real)
        asked = top.view(sentences, -1, self.width)
        attentional = self._attentional(asked, state.source, written.position.view(sentences, -1)).flatten(0, 1)
        attentional = self._dropped(attentional)
        written = LuongDecoderState(carry, attentional, written.position + 1)
        return self.logits(attentional), replace(state, written=written)

    def _fed(
        self,
        embedded: Float[Tensor, "batch target width"],
        carry: Carry,
        source: PreparedKeysValues,
        positions: Int[Tensor, "1 target"],
    ) -> Float[Tensor, "batch target width"]:
        """h~ at every position, one after the other, each heard by the next."""
        stack = StepwiseLSTM(self.decoder, known=self.width)
        units = stack.units(carry)
        attentional = torch.zeros_like(embedded[:, 0])
        written = []
        for known, position in zip(stack.known_totals(embedded), positions.unsqueeze(-1).unbind(1), strict=True):
            units = stack.advance(known, attentional, units)
            top = units[-1][0].unsqueeze(1)
            attentional = self._dropped(self._attentional(top, source, position)[:, 0])
            written.append(attentional)
        return torch.stack(written, dim=1)

    def _attentional(
        self,
        top: Float[Tensor, "batch target width"],
        source: PreparedKeysValues,
        positions: Int[Tensor, "#batch target"],
    ) -> Float[Tensor, "batch target width"]:
        """h~ = tanh(W_c [c; h])."""
        context = self.attention(top, source, positions)
        return torch.tanh(self.combine(torch.cat([context, top], dim=-1)))

    def _source(self, memory: LuongMemory) -> PreparedKeysValues:
        return self.attention.prepare(memory.states, memory.states, memory.mask)

    def _dropped(self, states: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return dropout(states, self.config.dropout, self.training)
