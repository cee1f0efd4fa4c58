"""LSTMN as a language model: Cheng et al. 2016, "Long Short-Term Memory-Networks for Machine Reading", section 3.

A stack of layers that keep tapes of all they have written and read them by attention (layers/lstmn_tape.py has the
equations). Layer l + 1 reads the hidden states of layer l, and with skip connections the word as well.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.dropout import dropout
from saccade.layers.initialisation import init_uniform, scaled_range
from saccade.layers.lstmn_tape import Tape, TapeLayer
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class LSTMNLanguageModelConfig:
    """The sizes of the paper's language models; the best had three layers."""

    layers: int = 1
    width: int = 300
    """Of hidden states, memories and scores."""
    embedding_width: int = 150
    skip_connections: bool = False
    """Whether layers above the first read the word besides the layer below."""
    initial_range: float | None = None
    """Weights begin uniformly between minus and plus this. None: the authors' 0.05 at their width, and at others what
    makes sums over the width vary as much; in a narrow model their own would leave nothing of the input."""
    dropout: float = 0.0
    """On embeddings, between layers and on what the last matrix reads."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "layers", "width", "embedding_width", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_range")

    @property
    def largest_weight(self) -> float:
        """The bound of the uniform distribution that weights are drawn from."""
        return self.initial_range or scaled_range(self.width, published=0.05, published_width=300)


@dataclass(frozen=True)
class LSTMNLanguageModelState(State):
    """The tape of each layer."""

    tapes: tuple[Tape, ...]


class LSTMNLanguageModel(LanguageModel[LSTMNLanguageModelState]):
    """A reader that forgets nothing."""

    def __init__(self, config: LSTMNLanguageModelConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        below = config.width + (config.embedding_width if config.skip_connections else 0)
        inputs = [config.embedding_width] + [below] * (config.layers - 1)
        self.embedding = nn.Embedding(target_vocabulary, config.embedding_width)
        self.layers = nn.ModuleList(TapeLayer(width, config.width) for width in inputs)
        self.output = nn.Linear(config.width, target_vocabulary)
        init_uniform(self, config.largest_weight)

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:
        """One position after the other, since each reads what those before it have written."""
        states, _ = self._read(reads.tokens, self.start(memory))
        return states

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W_o h + b_o."""
        scores: Tensor = self.output(states)
        return scores

    def start(self, memory: EmptySource) -> LSTMNLanguageModelState:
        """Blank tapes."""
        return LSTMNLanguageModelState((Tape.blank(self.output.weight, len(memory.lengths)),) * self.config.layers)

    def step(
        self, token: Int[Tensor, " batch"], state: LSTMNLanguageModelState
    ) -> tuple[Float[Tensor, "batch vocabulary"], LSTMNLanguageModelState]:
        """One position: the tapes become longer by a slot."""
        states, state = self._read(token.unsqueeze(1), state)
        return self.logits(states[:, 0]), state

    def _read(
        self, tokens: Int[Tensor, "batch length"], state: LSTMNLanguageModelState
    ) -> tuple[Float[Tensor, "batch length width"], LSTMNLanguageModelState]:
        words = dropout(self.embedding(tokens), self.config.dropout, self.training)
        states = words
        tapes: list[Tape] = []
        for layer, tape in zip(self.layers, state.tapes, strict=True):
            if tapes and self.config.skip_connections:
                states = torch.cat([states, words], dim=-1)
            states, tape = layer(states, tape)
            states = dropout(states, self.config.dropout, self.training)
            tapes.append(tape)
        return states, LSTMNLanguageModelState(tuple(tapes))
