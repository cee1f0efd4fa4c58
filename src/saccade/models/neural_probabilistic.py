"""The neural probabilistic language model: Bengio et al. 2003.

    x = [C(w_{t-1}); C(w_{t-2}); ..; C(w_{t-n+1})]        the vectors of the last n - 1 words, the newest first
    scores of w_t = b + W x + U tanh(d + H x)             W, the direct links from words to scores, is optional

Like an n-gram model it sees n - 1 words and nothing else. Unlike one, it knows words that are like each other: what it
learned of one history holds for others with similar words. Before the beginning of a sentence there is BOS.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.biased_projection import AffineProjection, with_one
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences
from saccade.special_tokens import BOS


@dataclass(frozen=True, kw_only=True)
class NeuralProbabilisticConfig:
    """The paper's n, m and h in words, with the sizes it had on the Brown corpus."""

    order: int = 5
    """n: one more than the words it sees."""
    width: int = 100
    """h: hidden units."""
    embedding_width: int = 30
    """m: numbers in the vector of a word."""
    direct_links: bool = False
    """Whether there is W."""
    dropout: float = 0.0
    """On the vectors of words and on the hidden units; the paper has none, but decays its weights."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        if self.order < 2:
            raise ConfigError(f"`order` must be at least 2, but is {self.order}. Two sees one word.")
        at_least_one(self, "width", "embedding_width", "maximum_length")
        dropout_rates(self, "dropout")


@dataclass(frozen=True)
class NeuralProbabilisticState(State):
    """The last n - 1 words, the newest last."""

    words: Int[Tensor, "batch seen"]


class NeuralProbabilistic(LanguageModel[NeuralProbabilisticState], LinearOutput):
    """A table of words and one hidden layer over the last few of them."""

    def __init__(self, config: NeuralProbabilisticConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        seen = (config.order - 1) * config.embedding_width
        scored = config.width + (seen if config.direct_links else 0)
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, width=scored + 1)
        self.config = config
        self.embedding = nn.Embedding(target_vocabulary, config.embedding_width)
        self.hidden = nn.Linear(seen, config.width)
        self.output = AffineProjection(scored, target_vocabulary)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:
        """All positions at once: nothing is carried from one to the next."""
        tokens = torch.cat([self.start(memory).words[:, 1:], reads.tokens], dim=1)
        return self._states(tokens.unfold(1, self.config.order - 1, 1))

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The words' bias, and U tanh(..) and W x as one product."""
        return self.output(states)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """[U, W, b]."""
        return self.output.matrix

    def start(self, memory: EmptySource) -> NeuralProbabilisticState:
        """There is always something to see: BOS, before all words."""
        return NeuralProbabilisticState(memory.lengths.new_full((len(memory.lengths), self.config.order - 1), BOS))

    def step(
        self, token: Int[Tensor, " batch"], state: NeuralProbabilisticState
    ) -> tuple[Float[Tensor, "batch vocabulary"], NeuralProbabilisticState]:
        """One word more is seen, and the oldest no longer."""
        words = torch.cat([state.words[:, 1:], token.unsqueeze(1)], dim=1)
        return self.logits(self._states(words)), NeuralProbabilisticState(words)

    def _states(self, words: Int[Tensor, "*rows seen"]) -> Float[Tensor, "*rows width"]:
        share, training = self.config.dropout, self.training
        x = functional.embedding(words.flip(-1), self.embedding.weight).flatten(-2)
        x = dropout(x, share, training)
        hidden = dropout(torch.tanh(self.hidden(x)), share, training)
        return with_one(torch.cat([hidden, x], dim=-1) if self.config.direct_links else hidden)
