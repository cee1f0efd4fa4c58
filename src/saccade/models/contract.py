"""The contract of every model: all that search, training, scoring and serving know of it.

    encode(source) -> Memory               reads the source
    states(reads, memory) -> states        the decoder with teacher forcing, all target positions at once
    logits(states) -> logits               the scores of the vocabulary after each position
    start(memory) -> State                 the decoder's state before the first token
    step(token, state) -> logits, State    one position

`step` repeated gives what `states` and `logits` give. Padding, the other sentences of a batch and their order change no
output. A state holds everything that one position hands to the next, precomputed keys and caches included; a module
keeps parameters only. tests/contracts/ holds every architecture of the catalogue to this.

A language model is a transducer with nothing to encode (language_model.py), and a classifier one that writes a single
label (classifier.py). What only some models can do is declared in capabilities.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.attention.recording import recording
from saccade.errors import ConfigError
from saccade.sequences import Pairs, Sequences, TensorRows

IMPOSSIBLE = -1e4
"""The score of a token that cannot follow: its probability rounds to zero, but its logarithm is still finite."""


@dataclass(frozen=True)
class Memory(TensorRows):
    """What an encoder hands to its decoder."""


AnyState = TypeVar("AnyState", bound="State")


@dataclass(frozen=True)
class State(TensorRows):
    """What a decoder carries from one position to the next.

    A beam search calls `branch` once to follow several hypotheses of each sentence, then `reorder` between steps and
    `keep` when sentences are finished. The hypotheses of a sentence are neighbouring rows. These default methods serve
    every state; a state overrides them to keep parts that belong to the sentence once for all its hypotheses, or to
    allocate memory for all positions in advance.
    """

    def branch(self, sentences: int, size: int, capacity: int) -> "State":  # noqa: ARG002 - nothing is allocated here
        """The state of `size` equal hypotheses of each sentence, none to become longer than `capacity`."""
        device = next(self.tensors()).device
        return self.select(torch.arange(sentences, device=device).repeat_interleave(size))

    def reorder(self: AnyState, parents: Int[Tensor, "sentences size"]) -> AnyState:
        """The state in which hypothesis i of sentence s continues what was hypothesis `parents[s, i]` of s before."""
        return self.select(rows_of_parents(parents))

    def keep(self: AnyState, sentences: Int[Tensor, " kept"], size: int) -> AnyState:
        """The state of these sentences alone, each with its `size` hypotheses."""
        return self.select(rows_of_sentences(sentences, size))


def rows_of_parents(parents: Int[Tensor, "sentences size"]) -> Int[Tensor, " rows"]:
    """The row of each parent in a batch that holds the hypotheses of each sentence one after another."""
    sentences, size = parents.shape
    first = torch.arange(0, sentences * size, size, device=parents.device).unsqueeze(1)
    return (first + parents).flatten()


def rows_of_sentences(sentences: Int[Tensor, " kept"], size: int) -> Int[Tensor, " rows"]:
    """The rows of all hypotheses of these sentences, in a batch that is laid out in the same way."""
    return (sentences.unsqueeze(1) * size + torch.arange(size, device=sentences.device)).flatten()


AnyMemory = TypeVar("AnyMemory", bound=Memory)
Carried = TypeVar("Carried", bound=State)


class Transducer(nn.Module, ABC, Generic[AnyMemory, Carried]):
    """A model that maps one sequence to another."""

    alignment_blocks: tuple[str, ...] = ()
    """The names, in a recording, of the attentions whose mean is the alignment of target and source."""

    def __init__(self, source_vocabulary: int, target_vocabulary: int, maximum_length: int, width: int) -> None:
        super().__init__()
        self.source_vocabulary, self.target_vocabulary = source_vocabulary, target_vocabulary
        self.maximum_length = maximum_length
        """The longest sequence, EOS included, that either side may have."""
        self.width = width
        """The size of the states, d_model in the learning-rate schedule of Vaswani et al. 2017."""

    @abstractmethod
    def encode(self, source: Sequences) -> AnyMemory:
        """Reads the source."""

    @abstractmethod
    def states(self, reads: Sequences, memory: AnyMemory) -> Float[Tensor, "batch target width"]:
        """The decoder's final state at each position of a known target; `reads` is the target shifted by BOS."""

    @abstractmethod
    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The scores of the next token after each state."""

    @abstractmethod
    def start(self, memory: AnyMemory) -> Carried:
        """The state before anything has been written."""

    @abstractmethod
    def step(self, token: Int[Tensor, " batch"], state: Carried) -> tuple[Float[Tensor, "batch vocabulary"], Carried]:
        """Reads one token and gives the scores of the next one, and the state after it.

        In a search, a row that reads PAD is an empty place of the beam: nobody looks at its scores or at its state.
        """

    def decode(self, reads: Sequences, memory: AnyMemory) -> Float[Tensor, "batch target vocabulary"]:
        """The scores of the next token after each position of a known target."""
        return self.logits(self.states(reads, memory))

    def teacher_forced(self, pairs: Pairs) -> tuple[AnyMemory, Float[Tensor, "batch target width"]]:
        """The memory of the sources of a batch, and the decoder's states at every position of its targets."""
        source, target = pairs.source, pairs.target
        assert isinstance(source, Sequences), "only a model that declares `ReadsPacked` is given packed batches"
        assert isinstance(target, Sequences), "the two sides of a batch have one layout"
        memory = self.encode(source)
        return memory, self.states(target.reads, memory)

    @property
    def attends(self) -> bool:
        """Whether there is an alignment of target and source."""
        return bool(self.alignment_blocks)

    @property
    def source_attentions(self) -> tuple[str, ...]:
        """The names, in a recording, of every attention of the target to the source, from the first layer on."""
        return self.alignment_blocks

    def align(self, target: Sequences, memory: AnyMemory) -> Float[Tensor, "batch target source"]:
        """How much each target position attended to each source position: the mean of `alignment_blocks`."""
        if not self.alignment_blocks:
            raise ConfigError(f"`{type(self).__name__}` does not attend, so it has no alignment. Leave alignments off.")
        heads = self.attention_heads(target, memory, self.alignment_blocks)
        weights = [own.mean(dim=1) for own in heads.values()]
        mean: Tensor = sum(weights[1:], start=weights[0]) / len(weights)
        return mean

    def attention_heads(
        self, target: Sequences, memory: AnyMemory, blocks: Sequence[str]
    ) -> dict[str, Float[Tensor, "batch heads target source"]]:
        """The weights of each head of these blocks, by one forced pass while recording."""
        with recording(self) as record:
            self.decode(target.reads, memory)
        # A decoder that runs position by position has recorded one tensor for each.
        return {name: torch.cat(record[name], dim=2) for name in blocks}
