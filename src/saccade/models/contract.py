"""What every translating system is to the rest of saccade; search, training and scoring know nothing else of it.

    encode(source) -> Memory               what the encoder hands over
    states(reads, memory) -> states        teacher forcing, all positions at once
    logits(states) -> logits               the score of each token of the vocabulary after each position
    decode(reads, memory) -> logits        the two above, one after the other
    start(memory) -> State                 what the decoder carries; precomputed keys live here, never on the module
    step(token, state) -> logits, State    one position
    align(target, memory) -> weights       where each output position looked

Two ways through a decoder, one answer: `step` repeated gives what `decode` gives. Padding, batch mates and batch order
change no output. tests/contracts/ holds every architecture of the catalogue to this.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.attention.recording import recording
from saccade.errors import ConfigError
from saccade.sequences import Packed, Rows, Sequences


@dataclass(frozen=True)
class Memory(Rows):
    """What an encoder hands to its decoder."""


@dataclass(frozen=True)
class State(Rows):
    """What a decoder carries from one position to the next."""


Remembered = TypeVar("Remembered", bound=Memory)
Carried = TypeVar("Carried", bound=State)


class Seq2Seq(nn.Module, ABC, Generic[Remembered, Carried]):
    """A model that maps one sequence to another."""

    source_vocabulary: int
    target_vocabulary: int
    maximum_length: int
    """The longest sequence, EOS included, that either side may have."""
    width: int
    """The size of the states, the d of the paper's learning-rate schedule."""
    alignment_blocks: tuple[str, ...] = ()
    """The names, in a recording, of the attentions whose mean says where an output position looked."""
    packs: bool = False
    """Whether `encode` and `states` also read sentences that share a row."""

    @abstractmethod
    def encode(self, source: Sequences | Packed) -> Remembered:
        """Reads the source."""

    @abstractmethod
    def states(self, reads: Sequences | Packed, memory: Remembered) -> Float[Tensor, "batch target width"]:
        """What the decoder has made of each position of a target that is already known."""

    @abstractmethod
    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The scores of the next token after each state."""

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"] | None:
        """The matrix W for which `logits(states)` is states W^T; None where the last step is something else.

        A loss that knows it need not keep the logits of a whole batch.
        """
        return None

    def decode(
        self, reads: Sequences | Packed, memory: Remembered
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The scores of the next token after each position of a target that is already known."""
        return self.logits(self.states(reads, memory))

    @abstractmethod
    def start(self, memory: Remembered) -> Carried:
        """The state before anything has been written."""

    @abstractmethod
    def step(self, token: Int[Tensor, " batch"], state: Carried) -> tuple[Float[Tensor, "batch vocabulary"], Carried]:
        """Reads one token, gives the scores of the next one and the state after it."""

    def align(self, target: Sequences, memory: Remembered) -> Float[Tensor, "batch target source"]:
        """How much each output position looked at each source position: one forced pass while recording."""
        if not self.alignment_blocks:
            raise ConfigError(f"`{type(self).__name__}` does not attend, so it has no alignment. Leave alignments off.")
        with recording(self) as record:
            self.decode(target.reads, memory)
        weights = [record[name][-1].mean(dim=1) for name in self.alignment_blocks]
        mean: Tensor = sum(weights[1:], start=weights[0]) / len(weights)
        return mean
