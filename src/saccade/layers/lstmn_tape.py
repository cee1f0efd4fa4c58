"""Long short-term memory-networks: Cheng et al. 2016, sections 3 and 4.

An LSTM squeezes all it has read into one pair of vectors. Here every position keeps its own: the hidden tape
h_1..h_{t-1} and the memory tape c_1..c_{t-1}. Before a position is written, the tapes are read by attention:

    a_i = v^T tanh(W_h h_i + W_x x_t + W_r h~_{t-1}),  s = softmax(a),  [h~_t; c~_t] = sum_i s_i [h_i; c_i]
    i, f, o = sigma(W [h~_t; x_t] + b),  c^ = tanh(the same kind)
    c_t = f * c~_t + i * c^,  h_t = o * tanh(c_t)

The tapes begin with a slot of zeros, so that the first position has something to read. Whatever depends on x alone is
computed for the whole sequence before the loop.

A decoder reads the source in one of two ways. Shallow fusion: a context found by the previous hidden state is one more
input (Bahdanau's attention around an LSTMN). Deep fusion: the tapes of the source, gamma and alpha, are read as its own
tapes are, and the memory found there enters through a gate of its own:

    [gamma~_t; alpha~_t] = sum_j p_j [gamma_j; alpha_j],  r = sigma(W_r [gamma~_t; x_t] + b),
    c_t = r * alpha~_t + f * c~_t + i * c^
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import softmax_where
from saccade.attention.altering import altered
from saccade.attention.recording import watcher
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.layers.lstm import lstm_cell
from saccade.layers.lstmn_tape_fast import ReaderWeights, SourceInputs, write_tape
from saccade.sequences import TensorRows


@dataclass(frozen=True)
class Tape(TensorRows):
    """Everything one layer has written: for each slot W_h h, h and c side by side; and what it read last."""

    slots: Float[Tensor, "batch slots three_widths"]
    read: Float[Tensor, "batch width"]
    """h~ of the position before."""
    source_read: Float[Tensor, "batch width"]
    """gamma~ of the position before; zeros where nothing but the own tape is read."""

    @classmethod
    def blank(cls, like: Float[Tensor, "any width"], batch: int) -> "Tape":
        """One slot of zeros, of the width of `like`."""
        width = like.shape[-1]
        nothing = like.new_zeros(batch, width)
        return cls(like.new_zeros(batch, 1, 3 * width), nothing, nothing)

    @property
    def hidden(self) -> Float[Tensor, "batch slots width"]:
        """The hidden tape."""
        return self.slots[..., self.read.shape[-1] : 2 * self.read.shape[-1]]

    @property
    def memory(self) -> Float[Tensor, "batch slots width"]:
        """The memory tape."""
        return self.slots[..., 2 * self.read.shape[-1] :]


@dataclass(frozen=True)
class SourceTape(TensorRows):
    """The tapes of a source: W_g gamma, gamma and alpha side by side; and which slots are real."""

    slots: Float[Tensor, "batch source three_widths"]
    real: Bool[Tensor, "batch source"]


class Reader(nn.Module):
    """Reads tapes by a_i = v^T tanh(W_h h_i + W_x x + W_r r), r what was read before; W_x x is given."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width, bias=False)
        self.before = nn.Linear(width, width, bias=False)
        self.vector = nn.Parameter(torch.empty(width))
        nn.init.normal_(self.vector, std=width**-0.5)

    def forward(
        self,
        asked: Float[Tensor, "batch width"],
        read: Float[Tensor, "batch width"],
        slots: Float[Tensor, "batch slots three_widths"],
        real: Bool[Tensor, "batch slots"] | None = None,
    ) -> Float[Tensor, "batch two_widths"]:
        """What is found, hidden and memory side by side."""
        width = asked.shape[-1]
        query = asked + self.before(read)
        scores = torch.tanh(slots[..., :width] + query.unsqueeze(1)) @ self.vector
        weights = scores.softmax(-1) if real is None else softmax_where(scores.unsqueeze(1), real.unsqueeze(1))[:, 0]
        weights = altered(self, weights)
        found = (weights.unsqueeze(1) @ slots[..., width:]).squeeze(1)
        if watch := watcher(self):
            watch(weights=weights[:, None, None], rest=lambda: self._trace(query, scores, slots, real, found))
        return found

    def _trace(
        self,
        query: Float[Tensor, "batch width"],
        scores: Float[Tensor, "batch slots"],
        slots: Float[Tensor, "batch slots three_widths"],
        real: Bool[Tensor, "batch slots"] | None,
        found: Float[Tensor, "batch two_widths"],
    ) -> dict[str, Any]:
        """As of one head. A tape begins with a slot of zeros, which no position wrote; that of a source does not."""
        keys, hidden, memory = slots.unsqueeze(1).chunk(3, dim=-1)
        return {
            "score": "additive",
            "scores": scores[:, None, None],
            "mask": torch.ones_like(scores, dtype=torch.bool).unsqueeze(1) if real is None else real.unsqueeze(1),
            "query": query[:, None, None],
            "q_hidden": query[:, None, None],
            "k_hidden": keys,
            "vector": self.vector,
            "keys": hidden,
            "values": torch.cat([hidden, memory], dim=-1),
            "context": found[:, None, None],
            "blank": True if real is None else None,
            "causal": real is None,
        }

    if TYPE_CHECKING:
        __call__ = forward


class TapeLayer(nn.Module):
    """One layer that reads nothing but its input and its own tapes."""

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.reader = Reader(width)
        self.asked = nn.Linear(input_width, width, bias=False)
        """W_x of the score."""
        self.driven = nn.Linear(input_width, 4 * width)
        """The columns of W that meet x: input, forget and output gate, candidate."""
        self.recurrent = nn.Linear(width, 4 * width, bias=False)
        """The columns of W that meet h~."""

    def forward(
        self, inputs: Float[Tensor, "batch length input_width"], tape: Tape
    ) -> tuple[Float[Tensor, "batch length width"], Tape]:
        """The hidden states of further positions, one or many, and the tape with them written on it."""
        if _fast_twin_applies(inputs, tape, self.reader):
            return self._whole(inputs)
        states = []
        for asked, driven in zip(self.asked(inputs).unbind(1), self.driven(inputs).unbind(1), strict=True):
            found = self.reader(asked, tape.read, tape.slots)
            hidden, tape = self._written(found, driven, tape)
            states.append(hidden)
        return torch.stack(states, dim=1), tape

    def _whole(
        self, inputs: Float[Tensor, "batch length input_width"], source: SourceInputs | None = None
    ) -> tuple[Float[Tensor, "batch length width"], Tape]:
        """The same for a whole sequence, by the fast twin."""
        reading = ReaderWeights(self.reader.before.weight, self.reader.vector)
        given = self.asked(inputs), self.driven(inputs)
        done = write_tape(*given, self.reader.key.weight, reading, self.recurrent.weight, source)
        slots = torch.cat([self.reader.key(done.hidden), done.hidden, done.memory], dim=-1)
        return done.hidden, Tape(functional.pad(slots, (0, 0, 1, 0)), done.read, done.source_read)

    def _written(
        self,
        found: Float[Tensor, "batch two_widths"],
        driven: Float[Tensor, "batch four_widths"],
        tape: Tape,
        source_read: Float[Tensor, "batch width"] | None = None,
        source_memory: Float[Tensor, "batch width"] | None = None,
    ) -> tuple[Float[Tensor, "batch width"], Tape]:
        """The cell: a new hidden state, and the tape with it."""
        read, memory_read = found.chunk(2, dim=-1)
        gates = driven + self.recurrent(read)
        enters, stays, leaves = gates[:, : 3 * self.width].sigmoid().chunk(3, dim=-1)
        candidate = gates[:, 3 * self.width :].tanh()
        hidden, memory = lstm_cell(enters, stays, candidate, leaves, memory_read, added=source_memory)
        if watch := watcher(self):
            gates = torch.cat([enters, stays, leaves], dim=-1).unsqueeze(1)
            watch(states=hidden.unsqueeze(1), gates=gates, gate_names=("input", "forget", "output"))
        slot = torch.cat([self.reader.key(hidden), hidden, memory], dim=-1)
        slots = torch.cat([tape.slots, slot.unsqueeze(1)], dim=1)
        return hidden, Tape(slots, read, tape.source_read if source_read is None else source_read)

    if TYPE_CHECKING:
        __call__ = forward


AnySource = TypeVar("AnySource", bound=TensorRows)


class FusionLayer(TapeLayer, ABC, Generic[AnySource]):
    """A layer that also reads a source."""

    @abstractmethod
    def prepare_source(
        self,
        hidden: Float[Tensor, "batch source width"],
        memory: Float[Tensor, "batch source width"],
        real: Bool[Tensor, "batch source"],
    ) -> AnySource:
        """The tapes of a source as this layer reads them, computed once for all positions."""

    @abstractmethod
    def fused(
        self, inputs: Float[Tensor, "batch length input_width"], tape: Tape, source: AnySource
    ) -> tuple[Float[Tensor, "batch length width"], Tape]:
        """The same as calling the layer, with a source."""


class DeepFusion(FusionLayer[SourceTape]):
    """A layer that reads the tapes of a source as it reads its own."""

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__(input_width, width)
        self.source_reader = Reader(width)
        self.source_asked = nn.Linear(input_width, width, bias=False)
        self.source_driven = nn.Linear(input_width, width)
        """The columns of W_r that meet x."""
        self.source_gate = nn.Linear(width, width, bias=False)
        """The columns of W_r that meet gamma~."""

    def prepare_source(
        self,
        hidden: Float[Tensor, "batch source width"],
        memory: Float[Tensor, "batch source width"],
        real: Bool[Tensor, "batch source"],
    ) -> SourceTape:
        """The tapes of a source, made ready once for all positions."""
        return SourceTape(torch.cat([self.source_reader.key(hidden), hidden, memory], dim=-1), real)

    def fused(
        self, inputs: Float[Tensor, "batch length input_width"], tape: Tape, source: SourceTape
    ) -> tuple[Float[Tensor, "batch length width"], Tape]:
        """The same as calling the layer, with a source."""
        if _fast_twin_applies(inputs, tape, self.reader):
            reading = ReaderWeights(self.source_reader.before.weight, self.source_reader.vector)
            gates = self.source_driven(inputs)
            asked = self.source_asked(inputs)
            return self._whole(
                inputs, SourceInputs(asked, gates, reading, self.source_gate.weight, source.slots, source.real)
            )
        given = (self.asked(inputs), self.driven(inputs), self.source_asked(inputs), self.source_driven(inputs))
        states = []
        for asked, driven, source_asked, source_driven in zip(*(part.unbind(1) for part in given), strict=True):
            found = self.reader(asked, tape.read, tape.slots)
            elsewhere = self.source_reader(source_asked, tape.source_read, source.slots, source.real)
            source_read, source_memory = elsewhere.chunk(2, dim=-1)
            enters = (source_driven + self.source_gate(source_read)).sigmoid()
            hidden, tape = self._written(found, driven, tape, source_read, enters * source_memory)
            states.append(hidden)
        return torch.stack(states, dim=1), tape


class ShallowFusion(FusionLayer[PreparedKeysValues]):
    """A layer one of whose inputs is what its previous hidden state finds in a source."""

    def __init__(self, input_width: int, width: int, attention: Attention) -> None:
        super().__init__(input_width, width)
        self.attention = attention
        self.context_asked = nn.Linear(width, width, bias=False)
        self.context_driven = nn.Linear(width, 4 * width, bias=False)

    def prepare_source(
        self,
        hidden: Float[Tensor, "batch source width"],
        memory: Float[Tensor, "batch source width"],  # noqa: ARG002 both fusions are asked alike
        real: Bool[Tensor, "batch source"],
    ) -> PreparedKeysValues:
        """The hidden tape of a source, made ready once for all positions."""
        return self.attention.prepare(hidden, hidden, real)

    def fused(
        self, inputs: Float[Tensor, "batch length input_width"], tape: Tape, source: PreparedKeysValues
    ) -> tuple[Float[Tensor, "batch length width"], Tape]:
        """The same as calling the layer, with a source."""
        states = []
        for asked, driven in zip(self.asked(inputs).unbind(1), self.driven(inputs).unbind(1), strict=True):
            position = torch.full((1, 1), tape.slots.shape[1] - 1, device=inputs.device)
            context = self.attention(tape.hidden[:, -1:], source, position).squeeze(1)
            found = self.reader(asked + self.context_asked(context), tape.read, tape.slots)
            hidden, tape = self._written(found, driven + self.context_driven(context), tape)
            states.append(hidden)
        return torch.stack(states, dim=1), tape


def _fast_twin_applies(inputs: Float[Tensor, "batch length input_width"], tape: Tape, reader: Reader) -> bool:
    """Whether a whole sequence begins here and nothing is recorded, so that the fast twin may be used."""
    return inputs.shape[1] > 1 and tape.slots.shape[1] == 1 and watcher(reader) is None
