"""Recurrent continuous translation models: Kalchbrenner and Blunsom 2013, the first of the lineage.

    decoder       h_i = sigma(R h_{i-1} + I v(f_i) + what the source adds),  o = O h_i,  softmax over o
    alone (RLM)   the source adds nothing
    RCTM I        S e, at every position, where e = csm(source) is the whole sentence as one vector
    RCTM II       S F_{:,i}, where F has a column for each word of the target:
                  E^g = cgm(source)            a column for each n-gram of the source
                  F^g = sigma(T E^g)           a column for each n-gram of the target
                  F   = icgm(F^g)              a column for each word of the target

csm, cgm and icgm are in layers/ngram_convolutions.py. i counts from the start token, so column i belongs to the word
that is written after f_i was read, and h before it is nothing: R h is zero there.

The paper gives the target a length m before it is written, from a Poisson distribution that depends on the length k of
the source. Here a translation ends where EOS is written, as everywhere in saccade, and F has m = `length_ratio` k
columns; words beyond read the last. Where m is not k, the n-grams of the target are read off those of the source at
evenly spaced places, between two of them in proportion.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.errors import ConfigError, InputError
from saccade.layers.ngram_convolutions import (
    InverseNgramModel,
    NgramModel,
    SentenceModel,
    for_logistic_units,
    widest_of,
)
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class RCTMConfig:
    """The sizes of the paper's experiments."""

    width: int = 256
    """q: the size of word vectors, of n-gram and sentence vectors and of the decoder's state."""
    source: Literal["ngrams", "sentence", "none"] = "ngrams"
    """What of the source conditions the decoder: RCTM II, RCTM I, or nothing: the language model alone."""
    ngram: int = 4
    """How many words a column has seen when RCTM II translates it: 2, 4, 7, 11, ..."""
    length_ratio: float = 1.0
    """How many words of the target there are for one of the source, as RCTM II takes it."""
    dropout: float = 0.0
    """On word vectors and before the output; the paper had none."""
    maximum_length: int = 256
    """RCTM I has kernels for sources of up to so many tokens."""

    def __post_init__(self) -> None:
        at_least_one(self, "width", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "length_ratio")
        if self.ngram < 2 or not widest_of(self.ngram):
            raise ConfigError(
                f"`ngram` must be 1 + 1 + 2 + ... for kernels of 2, 3, ... columns, but is {self.ngram}. "
                "Choose one of 2, 4, 7, 11."
            )


@dataclass(frozen=True)
class RCTMMemory(Memory):
    """What the source adds to the decoder's units at each position; positions beyond the last read the last."""

    additions: Float[Tensor, "batch columns width"]
    counts: Int[Tensor, " batch"]

    def at(self, positions: Int[Tensor, "#batch target"]) -> Float[Tensor, "batch target width"]:
        """What is added at these positions."""
        places = torch.minimum(positions, self.counts.unsqueeze(1) - 1)
        return self.additions.gather(1, places.unsqueeze(-1).expand(-1, -1, self.additions.shape[2]))


@dataclass(frozen=True)
class RCTMState(State):
    """The decoder's units, how many positions were read, and the source."""

    hidden: Float[Tensor, "batch width"]
    position: Int[Tensor, " batch"]
    memory: RCTMMemory


class SourceAsSentence(nn.Module):
    """RCTM I: S csm(source), for all positions."""

    def __init__(self, config: RCTMConfig, vocabulary: int) -> None:
        super().__init__()
        self.dropout, self.longest = config.dropout, config.maximum_length
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.sentence = SentenceModel(config.width, config.maximum_length)
        self.condition = _matrix(config.width)

    def forward(self, source: Sequences) -> RCTMMemory:
        """One column."""
        if source.tokens.shape[1] > self.longest:
            raise InputError(
                f"a source must have at most {self.longest} tokens, for which this model has kernels, but has "
                f"{source.tokens.shape[1]}. Split it, or train with a larger `model.maximum_length`."
            )
        words = dropout(self.embedding(source.tokens), self.dropout, self.training)
        sentence = self.sentence(words, source.lengths)
        return RCTMMemory(self.condition(sentence).unsqueeze(1), torch.ones_like(source.lengths))

    if TYPE_CHECKING:
        __call__ = forward


class SourceAsNgrams(nn.Module):
    """RCTM II: S icgm(sigma(T cgm(source))), a column for each word of the target."""

    def __init__(self, config: RCTMConfig, vocabulary: int) -> None:
        super().__init__()
        self.dropout, self.ngram, self.ratio = config.dropout, config.ngram, config.length_ratio
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.ngrams = NgramModel(config.width, config.ngram)
        self.translation = _matrix(config.width)
        self.words = InverseNgramModel(config.width, config.ngram)
        self.condition = _matrix(config.width)

    def forward(self, source: Sequences) -> RCTMMemory:
        """As many columns as the target is taken to have words."""
        words = dropout(self.embedding(source.tokens), self.dropout, self.training)
        translated = self.translation(self.ngrams(words, source.mask)).sigmoid()
        lengths = (source.lengths.double() * self.ratio).ceil().long().clamp(min=self.ngram)
        counts = lengths - (self.ngram - 1)
        if self.ratio != 1:
            longest = max(math.ceil(source.tokens.shape[1] * self.ratio), self.ngram)
            translated = self._spaced(translated, source.lengths, counts, longest - (self.ngram - 1))
        return RCTMMemory(self.condition(self.words(translated, counts)), lengths)

    def _spaced(
        self,
        translated: Float[Tensor, "batch ngrams width"],
        lengths: Int[Tensor, " batch"],
        counts: Int[Tensor, " batch"],
        columns: int,
    ) -> Float[Tensor, "batch columns width"]:
        """So many columns, of which each row's own `counts` reach evenly from its first n-gram to its last."""
        last = (lengths - self.ngram).clamp(min=0).unsqueeze(1)
        share = torch.arange(columns, device=lengths.device).double() / (counts - 1).clamp(min=1).unsqueeze(1)
        places = torch.minimum(share * last, last)
        before = places.floor().long()
        between = (places - before).unsqueeze(-1).to(translated.dtype)

        def taken(which: Tensor) -> Tensor:
            return translated.gather(1, which.unsqueeze(-1).expand(-1, -1, translated.shape[2]))

        return taken(before) * (1 - between) + taken(torch.minimum(before + 1, last)) * between

    if TYPE_CHECKING:
        __call__ = forward


class NoSource(nn.Module):
    """The decoder alone."""

    def __init__(self, config: RCTMConfig, vocabulary: int) -> None:  # noqa: ARG002 nothing is read
        super().__init__()
        self.width = config.width

    def forward(self, source: Sequences) -> RCTMMemory:
        """One column that adds nothing."""
        nothing = torch.zeros(len(source), 1, self.width, device=source.tokens.device)
        return RCTMMemory(nothing, torch.ones_like(source.lengths))

    if TYPE_CHECKING:
        __call__ = forward


SOURCES = {"ngrams": SourceAsNgrams, "sentence": SourceAsSentence, "none": NoSource}


class RCTM(Transducer[RCTMMemory, RCTMState], LinearOutput):
    """A recurrent language model of the target that hears the source at every position."""

    def __init__(self, config: RCTMConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.source = SOURCES[config.source](config, source_vocabulary)
        self.target_embedding = nn.Embedding(target_vocabulary, config.width)
        self.recurrence = _matrix(config.width)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)

    def encode(self, source: Sequences) -> RCTMMemory:
        """What the source will add, computed once."""
        return cast(RCTMMemory, self.source(source))

    def states(self, reads: Sequences, memory: RCTMMemory) -> Float[Tensor, "batch target width"]:
        """The units at every position; one product for each is left when all that does not depend on h is added up."""
        words = dropout(self.target_embedding(reads.tokens), self.config.dropout, self.training)
        inputs = words + memory.at(reads.positions).to(words.dtype)
        matrix = self.recurrence.weight.t()
        states: list[Tensor] = []
        for position in inputs.unbind(1):
            states.append((torch.addmm(position, states[-1], matrix) if states else position).sigmoid())
        if watch := watcher(self.recurrence):
            watch(states=torch.stack(states, dim=1), gate_names=())
        return dropout(torch.stack(states, dim=1), self.config.dropout, self.training)

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """O h."""
        return functional.linear(states, self.output.weight)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """O."""
        return self.output.weight

    def start(self, memory: RCTMMemory) -> RCTMState:
        """No units are on."""
        nothing = self.target_embedding.weight.new_zeros(len(memory.counts), self.width)
        return RCTMState(nothing, torch.zeros_like(memory.counts), memory)

    def step(
        self, token: Int[Tensor, " batch"], state: RCTMState
    ) -> tuple[Float[Tensor, "batch vocabulary"], RCTMState]:
        """One position."""
        words = dropout(self.target_embedding(token), self.config.dropout, self.training)
        inputs = words + state.memory.at(state.position.unsqueeze(1))[:, 0].to(words.dtype)
        hidden = (self.recurrence(state.hidden) + inputs).sigmoid()
        after = RCTMState(hidden, state.position + 1, state.memory)
        return self.logits(dropout(hidden, self.config.dropout, self.training)), after


def _matrix(width: int) -> nn.Linear:
    """A square matrix between logistic units."""
    linear = nn.Linear(width, width, bias=False)
    for_logistic_units(linear.weight)
    return linear
