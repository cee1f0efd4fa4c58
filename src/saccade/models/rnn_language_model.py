"""Recurrent language models: Mikolov et al. 2010, and with other cells the baselines of everything after it.

    h_t = cell(C(w_t), h_{t-1})        p(w_{t+1} | w_1..t) = softmax(V h_t)

Mikolov's unit is the logistic function, s = sigma(a). It is (1 + tanh(a / 2)) / 2, so a layer of tanh units with
other weights and a bias computes the same: "tanh" is his network. Dropout falls between layers, never on what a cell
hands to itself (Zaremba et al. 2014).
"""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.rnn import Carry, RNNKind, RNNStack
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class RNNLanguageModelConfig:
    """One layer of a hundred units is what Mikolov compares with Bengio's network on the Brown corpus."""

    cell: RNNKind = "tanh"
    width: int = 100
    embedding_width: int | None = None
    """Numbers in the vector of a word. None: as many as in the states."""
    layers: int = 1
    dropout: float = 0.0
    """On the vectors of words, between layers, and on the states that are scored."""
    tie: Literal["target", "none"] = "none"
    """"target": one matrix is the table of words and the output projection."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "embedding_width", "layers", "maximum_length")
        dropout_rates(self, "dropout")
        if self.tie == "target" and self.embedding_width not in (None, self.width):
            raise ConfigError(
                f"`embedding_width` must be `width` when `tie` is 'target', but is {self.embedding_width} with a width "
                f"of {self.width}. Leave it out, or set `tie` to 'none'."
            )


@dataclass(frozen=True)
class RNNLanguageModelState(State):
    """What the recurrent stack carries."""

    carry: Carry


class RNNLanguageModel(LanguageModel[RNNLanguageModelState], LinearOutput):
    """A table of words, a recurrent stack, and a projection to the vocabulary."""

    def __init__(self, config: RNNLanguageModelConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        embedding_width = config.embedding_width or config.width
        self.embedding = nn.Embedding(target_vocabulary, embedding_width)
        self.recurrent = RNNStack(config.cell, embedding_width, config.width, config.layers, config.dropout)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        if config.tie == "target":
            self.output.weight = self.embedding.weight

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:
        """Padding is on the right, where no real position comes after it: the stack may run over it."""
        return self._advance(reads.tokens, self.start(memory).carry)[0]

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """V h."""
        scores: Tensor = self.output(states)
        return scores

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """The matrix of `logits`."""
        return self.output.weight

    def start(self, memory: EmptySource) -> RNNLanguageModelState:
        """Zeros: nothing has been read."""
        rows = self.embedding.weight.new_zeros(len(memory.lengths), 1)
        return RNNLanguageModelState(self.recurrent.initial_state(rows))

    def step(
        self, token: Int[Tensor, " batch"], state: RNNLanguageModelState
    ) -> tuple[Float[Tensor, "batch vocabulary"], RNNLanguageModelState]:
        """One position further."""
        states, carry = self._advance(token.unsqueeze(1), state.carry)
        return self.logits(states[:, 0]), RNNLanguageModelState(carry)

    def _advance(
        self, tokens: Int[Tensor, "batch length"], carry: Carry
    ) -> tuple[Float[Tensor, "batch length width"], Carry]:
        embedded = dropout(self.embedding(tokens), self.config.dropout, self.training)
        outputs, carry = self.recurrent(embedded, carry)
        return dropout(outputs, self.config.dropout, self.training), carry
