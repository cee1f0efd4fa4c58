"""Language models that look back over their own last outputs: Daniluk et al. 2017.

    attention           h_t read as a whole        M = tanh(W^Y [h_{t-L} .. h_{t-1}] + (W^h h_t) 1^T)
                        a = softmax(w^T M)         r_t = [h_{t-L} .. h_{t-1}] a        h*_t = tanh(W^r r_t + W^x h_t)
    key-value           h_t = [k_t; v_t]           keys are compared, values are taken: r_t of the v, W^x meets v_t
    key-value-predict   h_t = [k_t; v_t; p_t]      and a third part predicts: W^x meets p_t
    ngram               h_t = [h^1; ..; h^{N-1}]   no attention at all
                        h*_t = tanh(W^N [h^1_t; h^2_{t-1}; ..; h^{N-1}_{t-N+2}])

    p(w_{t+1} | w_1..t) = softmax(W* h*_t + b)

The h_t are those of an LSTM, k wide or two, three or N-1 times as wide. One output vector that is key, value and
prediction at once must serve three masters; each step down the list frees it of one. The first position sees nothing
before it, and takes nothing.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.scores import ScoreName, score
from saccade.attention.window import WindowAttention
from saccade.dropout import dropout
from saccade.errors import ConfigError
from saccade.layers.biased_projection import AffineProjection, with_one
from saccade.layers.initialisation import scaled_range
from saccade.layers.rnn import Carry, RNNStack
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.sequences import Sequences

Reads = Literal["attention", "key-value", "key-value-predict", "ngram"]
ATTENDING: dict[Reads, int] = {"attention": 1, "key-value": 2, "key-value-predict": 3}
"""Into how many parts each that attends divides an output."""


@dataclass(frozen=True, kw_only=True)
class KeyValuePredictConfig:
    """The paper's k, L and N in words; which of its models; and what the equations leave open."""

    reads: Reads = "key-value-predict"
    """How the model reads its own past outputs."""
    width: int = 300
    """k: the size of one part of an output, and of h*."""
    embedding_width: int | None = None
    """Numbers in the vector of a word. None: k."""
    window: int = 15
    """L: how many past outputs attention sees."""
    order: int = 4
    """N of the N-gram network: it reads parts of its last N - 1 outputs, the present one included."""
    score: ScoreName = "additive"
    """How a key is compared; the paper's is additive."""
    layers: int = 1
    dropout: float = 0.0
    """On the vectors of words and on h*."""
    initial_range: float | None = None
    """Weights begin uniformly between minus and plus this. None: the paper's 0.1 at a width of 300, and at others what
    makes sums over the width vary as much; in a narrow model its own would leave little of what passes two layers."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "embedding_width", "window", "layers", "maximum_length")
        if self.order < 2:
            raise ConfigError(f"`order` must be at least 2, but is {self.order}. Two reads the present output alone.")
        dropout_rates(self, "dropout")
        more_than_zero(self, "initial_range")

    @property
    def largest_weight(self) -> float:
        """The bound of the uniform distribution that weights are drawn from."""
        return self.initial_range or scaled_range(self.width, published=0.1, published_width=300)

    @property
    def parts(self) -> int:
        """Into how many parts of k numbers an output of the LSTM is divided."""
        return self.order - 1 if self.reads == "ngram" else ATTENDING[self.reads]

    @property
    def remembered(self) -> int:
        """How many past outputs are still read."""
        return self.order - 2 if self.reads == "ngram" else self.window


class AttentiveReading(nn.Module):
    """h* by attention. The first part of an output is its key, the last one predicts, and of three the second is value.

    With fewer parts one of them has several duties: of two the second is value and predicts, a single one does all.
    """

    def __init__(self, config: KeyValuePredictConfig) -> None:
        super().__init__()
        width = config.width
        self.value_part = min(1, config.parts - 1)
        self.attention = WindowAttention(score(config.score, width, width, width, config.window), config.window)
        self.read = nn.Linear(width, width, bias=False)
        self.predict = nn.Linear(width, width, bias=False)

    def forward(
        self, parts: Float[Tensor, "batch length parts width"], new: int, known: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch new width"]:
        """h* of the last `new` outputs; of those before them the last `known` are real."""
        before = parts.shape[1] - new
        keys, values, predicting = parts[:, :, 0], parts[:, :, self.value_part], parts[:, before:, -1]
        context = self.attention(keys[:, before:], keys, values, known)
        return torch.tanh(self.read(context) + self.predict(predicting))


class NgramReading(nn.Module):
    """h* = tanh(W^N [h^1_t; h^2_{t-1}; ..]): the first part of the present output, the second of the one before it."""

    def __init__(self, config: KeyValuePredictConfig) -> None:
        super().__init__()
        self.join = nn.Linear(config.parts * config.width, config.width, bias=False)

    def forward(
        self,
        parts: Float[Tensor, "batch length parts width"],
        new: int,
        known: Int[Tensor, " batch"],  # noqa: ARG002 what is not real is zero, and adds nothing
    ) -> Float[Tensor, "batch new width"]:
        """h* of the last `new` outputs."""
        count = parts.shape[2]
        filled = functional.pad(parts, (0, 0, 0, 0, count - 1, 0))
        end = filled.shape[1]
        lagged = [filled[:, end - new - lag : end - lag, lag] for lag in range(count)]
        return torch.tanh(self.join(torch.cat(lagged, dim=-1)))


@dataclass(frozen=True)
class KeyValuePredictState(State):
    """What the LSTM carries, and its last outputs: zeros where there are not so many yet."""

    carry: Carry
    outputs: Float[Tensor, "batch remembered wide"]
    known: Int[Tensor, " batch"]
    """How many of the outputs, the last ones, are real."""


class KeyValuePredict(LanguageModel[KeyValuePredictState], LinearOutput):
    """An LSTM whose outputs are read once more, some positions later."""

    def __init__(self, config: KeyValuePredictConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width + 1)
        self.config = config
        embedding_width = config.embedding_width or config.width
        self.embedding = nn.Embedding(target_vocabulary, embedding_width)
        self.recurrent = RNNStack("lstm", embedding_width, config.parts * config.width, config.layers, config.dropout)
        self.reading = NgramReading(config) if config.reads == "ngram" else AttentiveReading(config)
        self.output = AffineProjection(config.width, target_vocabulary)
        self._initialise()

    def states(self, reads: Sequences, memory: EmptySource) -> Float[Tensor, "batch target width"]:
        """The LSTM over the whole sentence first; then all positions look back at once."""
        start = self.start(memory)
        return self._advance(reads.tokens, replace(start, outputs=start.outputs[:, :0]))[0]

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W* h* + b."""
        return self.output(states)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """[W*, b]."""
        return self.output.matrix

    def start(self, memory: EmptySource) -> KeyValuePredictState:
        """Nothing read, nothing to look back at."""
        rows = len(memory.lengths)
        outputs = self.embedding.weight.new_zeros(rows, self.config.remembered, self.config.parts * self.config.width)
        return KeyValuePredictState(self.recurrent.initial_state(outputs), outputs, torch.zeros_like(memory.lengths))

    def step(
        self, token: Int[Tensor, " batch"], state: KeyValuePredictState
    ) -> tuple[Float[Tensor, "batch vocabulary"], KeyValuePredictState]:
        """One position further; the oldest output is forgotten."""
        states, outputs, carry = self._advance(token.unsqueeze(1), state)
        known = (state.known + 1).clamp(max=self.config.remembered)
        return self.logits(states[:, 0]), KeyValuePredictState(carry, outputs[:, 1:], known)

    def _advance(
        self, tokens: Int[Tensor, "batch new"], state: KeyValuePredictState
    ) -> tuple[Float[Tensor, "batch new width"], Float[Tensor, "batch length wide"], Carry]:
        """h* and a one of each new position, all outputs that are remembered now, and what the LSTM carries."""
        config = self.config
        embedded = dropout(self.embedding(tokens), config.dropout, self.training)
        outputs, carry = self.recurrent(embedded, state.carry)
        outputs = torch.cat([state.outputs.to(outputs.dtype), outputs], dim=1)
        parts = outputs.view(*outputs.shape[:2], config.parts, config.width)
        states: Tensor = self.reading(parts, tokens.shape[1], state.known)
        return with_one(dropout(states, config.dropout, self.training)), outputs, carry

    def _initialise(self) -> None:
        """Uniform, and zero where something is added to a product."""
        largest = self.config.largest_weight
        for name, parameter in self.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
            elif parameter.ndim:
                nn.init.uniform_(parameter, -largest, largest)
