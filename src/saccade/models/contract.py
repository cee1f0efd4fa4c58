"""What every translating system is to the rest of saccade; search, training and scoring know nothing else of it.

    encode(source) -> Memory               what the encoder hands over
    states(reads, memory) -> states        teacher forcing, all positions at once
    logits(states) -> logits               the score of each token of the vocabulary after each position
    decode(reads, memory) -> logits        the two above, one after the other
    start(memory) -> State                 what the decoder carries; precomputed keys live here, never on the module
    step(token, state) -> logits, State    one position
    align(target, memory) -> weights       where each output position looked

A language model is the same with nothing to encode, and a classifier writes one label and is done. So whatever can be
done with a system that translates can be done with them.

Two ways through a decoder, one answer: `step` repeated gives what `decode` gives. Padding, batch mates and batch order
change no output. tests/contracts/ holds every architecture of the catalogue to this.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.attention.recording import recording
from saccade.errors import ConfigError
from saccade.sequences import EOS, Packed, Pairs, Sequences, TensorRows

SPECIAL = 4
"""How many tokens at the beginning of a vocabulary are no pieces: PAD, EOS, UNK, BOS."""
IMPOSSIBLE = -1e4
"""The score of what cannot be: its probability is zero in any precision, and its logarithm is still a number."""


@dataclass(frozen=True)
class Memory(TensorRows):
    """What an encoder hands to its decoder."""


AnyState = TypeVar("AnyState", bound="State")


@dataclass(frozen=True)
class State(TensorRows):
    """What a decoder carries from one position to the next.

    A search that follows several hypotheses of each sentence asks for them once with `branch`, and then between steps
    for `reorder`, and for `keep` when sentences are done. The rows of a sentence stand together. What is written here
    serves every state. A state that knows which of its parts belong to the sentence and not to the hypothesis, or
    that would rather be given room for all positions at once, may say these three in its own way.
    """

    def branch(self, sentences: int, size: int, capacity: int) -> "State":  # noqa: ARG002 - room is not needed here
        """The state of `size` equal hypotheses of each of the sentences, none to become longer than `capacity`."""
        device = next(self.tensors()).device
        return self.select(torch.arange(sentences, device=device).repeat_interleave(size))

    def reorder(self: AnyState, parents: Int[Tensor, "sentences size"]) -> AnyState:
        """The state of hypotheses that continue these ones; `parents` says which, by place in its sentence."""
        sentences, size = parents.shape
        first = torch.arange(0, sentences * size, size, device=parents.device).unsqueeze(1)
        return self.select((first + parents).flatten())

    def keep(self: AnyState, sentences: Int[Tensor, " kept"], size: int) -> AnyState:
        """The state of these sentences alone, each with its `size` hypotheses."""
        first = sentences.unsqueeze(1) * size
        return self.select((first + torch.arange(size, device=sentences.device)).flatten())


Remembered = TypeVar("Remembered", bound=Memory)
Carried = TypeVar("Carried", bound=State)


class Transducer(nn.Module, ABC, Generic[Remembered, Carried]):
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
    counts: bool = False
    """Whether it learns by counting what it is shown once, and not by steps along a gradient."""
    tables: tuple[str, ...] = ()
    """The names of its buffers whose sizes only counting tells."""

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

    def decode(self, reads: Sequences | Packed, memory: Remembered) -> Float[Tensor, "batch target vocabulary"]:
        """The scores of the next token after each position of a target that is already known."""
        return self.logits(self.states(reads, memory))

    @abstractmethod
    def start(self, memory: Remembered) -> Carried:
        """The state before anything has been written."""

    @abstractmethod
    def step(self, token: Int[Tensor, " batch"], state: Carried) -> tuple[Float[Tensor, "batch vocabulary"], Carried]:
        """Reads one token, gives the scores of the next one and the state after it."""

    def penalty(self, memory: Remembered) -> Float[Tensor, ""] | None:  # noqa: ARG002 most systems have none
        """What training adds to the loss of these sentences, as a sum over them; None: nothing."""
        return None

    def count(self, pairs: Pairs) -> None:  # noqa: ARG002 nobody counts here
        """Takes account of a batch; one that counts is shown every pair of its corpus once."""
        raise AssertionError(f"{type(self).__name__} does not count")

    def settle(self) -> None:
        """Turns what was counted into what it answers with, after the last batch."""
        raise AssertionError(f"{type(self).__name__} does not count")

    def make_room(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Gives its tables the sizes of those that are about to be put there."""
        for name in self.tables:
            if name in shapes:
                setattr(self, name, self.get_buffer(name).new_empty(tuple(shapes[name])))

    def align(self, target: Sequences, memory: Remembered) -> Float[Tensor, "batch target source"]:
        """How much each output position looked at each source position: one forced pass while recording."""
        if not self.alignment_blocks:
            raise ConfigError(f"`{type(self).__name__}` does not attend, so it has no alignment. Leave alignments off.")
        with recording(self) as record:
            self.decode(target.reads, memory)
        # A decoder that goes position by position has looked once for each.
        weights = [torch.cat(record[name], dim=2).mean(dim=1) for name in self.alignment_blocks]
        mean: Tensor = sum(weights[1:], start=weights[0]) / len(weights)
        return mean


@dataclass(frozen=True)
class EmptySource(Memory):
    """What a language model knows of the source: only how many there are."""

    lengths: Int[Tensor, " batch"]


class LanguageModel(Transducer[EmptySource, Carried]):
    """A model of sequences that stand for themselves; the source of each is empty."""

    def encode(self, source: Sequences | Packed) -> EmptySource:
        """Reads nothing."""
        assert isinstance(source, Sequences)
        return EmptySource(source.lengths)


@dataclass(frozen=True)
class SentenceEmbedding(Memory):
    """A sentence as one vector."""

    embedding: Float[Tensor, "batch width"]


@dataclass(frozen=True)
class ClassifierState(State):
    """A sentence, and whether its label is written already."""

    embedding: Float[Tensor, "batch width"]
    written: Int[Tensor, " batch"]


Embedding = TypeVar("Embedding", bound=SentenceEmbedding)


class Classifier(Transducer[Embedding, ClassifierState]):
    """A model that writes one label, and after it the end.

    Its states are the embedding of the sentence and one more number: 0 before the label, 1 after it. The labels are
    the tokens of the target vocabulary. That a label is followed by EOS, and that nothing else can be, is certain and
    not learned. A label that was never seen is UNK, which is never written.
    """

    @abstractmethod
    def classify(self, embedding: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each label."""

    def states(self, reads: Sequences | Packed, memory: Embedding) -> Float[Tensor, "batch target width"]:
        """The same embedding at every position, and which positions come after the label."""
        return self._states(memory.embedding.unsqueeze(1).expand(-1, reads.tokens.shape[1], -1), reads.positions > 0)

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The scores of the labels, or certainty of the end."""
        embedding, written = states[..., :-1], states[..., -1:] > 0.5
        scores = self.classify(embedding)
        tokens = torch.arange(scores.shape[-1], device=scores.device)
        possible = torch.where(written, tokens == EOS, tokens >= SPECIAL)
        return scores.masked_fill(~possible, IMPOSSIBLE)

    def start(self, memory: Embedding) -> ClassifierState:
        """No label yet."""
        return ClassifierState(memory.embedding, torch.zeros_like(memory.embedding[:, 0], dtype=torch.int64))

    def step(
        self,
        token: Int[Tensor, " batch"],  # noqa: ARG002 what the label was changes nothing
        state: ClassifierState,
    ) -> tuple[Float[Tensor, "batch vocabulary"], ClassifierState]:
        """Scores labels first and the end then."""
        logits = self.logits(self._states(state.embedding, state.written > 0))
        return logits, ClassifierState(state.embedding, torch.ones_like(state.written))

    def _states(self, embedding: Float[Tensor, "*rows width"], written: Tensor) -> Float[Tensor, "*rows one_wider"]:
        flags = written.unsqueeze(-1).to(embedding.dtype).expand(*embedding.shape[:-1], 1)
        return torch.cat([embedding, flags], dim=-1)
