"""End-to-end memory networks as a language model: Sukhbaatar et al. 2015, sections 2 and 5.

The memory holds the last N words, each as a key and as a value, with a vector for how long ago it was read:

    m_i = A x_i + T_A(i),  c_i = C x_i + T_C(i)
    p = softmax(u^T m_i),  o = sum_i p_i c_i,  u <- H u + o          a hop; there are several
    softmax(W u)

There is no question, so u begins as a constant. After each hop half of its units go through a ReLU. The hops follow
one another for each position alone: what recurs here is attention, and no position waits for another.

All hops share A, C and H, as a recurrent network shares its weights over time (layer-wise, the paper's choice for
language). The other way (adjacent) gives each hop its own: the values of one hop are the keys of the next, the values
of the last are W, and there is no H.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.memory_hop import Hop
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class MemoryNetworkConfig:
    """The sizes the paper compares with recurrent networks."""

    width: int = 150
    memory_size: int = 100
    """N: how many words back a position sees, itself included."""
    hops: int = 6
    """K: how often it looks."""
    tie: Literal["layer-wise", "adjacent"] = "layer-wise"
    question: float = 0.1
    """What u is filled with at first."""
    initial_deviation: float = 0.05
    """All weights begin normally distributed around zero with this deviation."""
    dropout: float = 0.0
    """On the vectors of words and on what the last matrix reads."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "memory_size", "hops", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_deviation")
        if self.question == 0:
            raise ConfigError("`question` must not be 0, or the first hop sees no difference between words. Use 0.1.")


@dataclass(frozen=True)
class MemoryNetworkState(State):
    """The last N words, and how many have been read: places for words that never were come first."""

    words: Int[Tensor, "batch memory"]
    count: Int[Tensor, " batch"]


class MemoryNetwork(LanguageModel[MemoryNetworkState], LinearOutput):
    """Several looks at the last words, one after the other."""

    def __init__(self, config: MemoryNetworkConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.hops = nn.ModuleList(Hop() for _ in range(config.hops))
        tables = 2 if config.tie == "layer-wise" else config.hops + 1
        self.words = nn.ParameterList(torch.empty(target_vocabulary, config.width) for _ in range(tables))
        self.times = nn.ParameterList(torch.empty(config.memory_size, config.width) for _ in range(tables))
        """Row i: for a word read i words ago."""
        self.carry = nn.Linear(config.width, config.width, bias=False) if config.tie == "layer-wise" else None
        self.output = nn.Parameter(torch.empty(target_vocabulary, config.width)) if self.carry is not None else None
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=config.initial_deviation)

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:  # noqa: ARG002
        """All positions at once, each with the words up to its own."""
        places = torch.arange(reads.tokens.shape[1], device=reads.tokens.device)
        ages = places.unsqueeze(1) - places
        seen = (ages >= 0) & (ages < self.config.memory_size)
        return self._hopped(reads.tokens, ages.clamp(0, self.config.memory_size - 1), seen.unsqueeze(0))

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W u."""
        return functional.linear(states, self.projection)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """W: a matrix of its own, or the values of the last hop."""
        return self.words[-1] if self.output is None else self.output

    def start(self, memory: EmptySource) -> MemoryNetworkState:
        """No words."""
        words = torch.zeros_like(memory.lengths).unsqueeze(1).repeat(1, self.config.memory_size)
        return MemoryNetworkState(words, torch.zeros_like(memory.lengths))

    def step(
        self, token: Int[Tensor, " batch"], state: MemoryNetworkState
    ) -> tuple[Float[Tensor, "batch vocabulary"], MemoryNetworkState]:
        """One position: its word comes into the memory, and the oldest leaves it."""
        words = torch.cat([state.words[:, 1:], token.unsqueeze(1)], dim=1)
        ages = torch.arange(self.config.memory_size - 1, -1, -1, device=token.device).unsqueeze(0)
        seen = ages <= state.count.unsqueeze(1)
        states = self._hopped(words, ages, seen.unsqueeze(1))
        return self.logits(states[:, 0]), MemoryNetworkState(words, state.count + 1)

    def _hopped(
        self, words: Int[Tensor, "batch word"], ages: Int[Tensor, "query word"], seen: Bool[Tensor, "#batch query word"]
    ) -> Float[Tensor, "batch query width"]:
        """The paper's u after the last hop."""
        config = self.config
        known = [dropout(functional.embedding(words, table), config.dropout, self.training) for table in self.words]
        inner = known[0].new_full((len(words), len(ages), config.width), config.question)
        for place, hop in enumerate(self.hops):
            key, value = (0, 1) if self.carry is not None else (place, place + 1)
            found = hop(inner, known[key], known[value], (self.times[key], self.times[value]), ages, seen)
            inner = (inner if self.carry is None else self.carry(inner)) + found
            bent, straight = inner.split([config.width // 2, config.width - config.width // 2], dim=-1)
            inner = torch.cat([functional.relu(bent), straight], dim=-1)
        return dropout(inner, config.dropout, self.training)
