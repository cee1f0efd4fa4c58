"""The RNN Encoder-Decoder: Cho et al. 2014, "Learning Phrase Representations using RNN Encoder-Decoder".

    encoder   h_j = gru(e(x_j), h_{j-1}),  h_0 = 0;     c = tanh(V h_N)
    decoder   h'_0 = tanh(V' c);   h'_t = gru'(e(y_{t-1}), h'_{t-1}, c),  e(y_0) = 0
    output    s' = O_h h'_t + O_y e(y_{t-1}) + O_c c;   s_i = max(s'_{2i-1}, s'_{2i});   p(y_t) = softmax(G_l G_r s)

A sentence of any length becomes one vector c, which the decoder hears at every position. The units are in
layers/cells.py: the decoder's reset gate closes the context together with the state. The paper used the model to score
phrase pairs for another translation system; here it also writes.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.dropout import dropout
from saccade.layers.biased_projection import BiasedProjection, with_one
from saccade.layers.cells import DECODER_CELLS, ENCODER_CELLS, CellName
from saccade.layers.maxout import MaxoutOutput
from saccade.layers.reversal import last
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS


@dataclass(frozen=True, kw_only=True)
class RNNEncoderDecoderConfig:
    """The sizes of section 4.1; where they differ from those of the appendix, the section's."""

    width: int = 1000
    """Hidden units of the encoder, and of the decoder."""
    rank: int | None = None
    """Width of the word vectors on both sides, and rank of the output matrix G. None: a tenth of the width."""
    maxout_width: int | None = None
    """Maxout units. None: half of the width."""
    cell: CellName = "gru-cho"
    """The recurrent unit; with plain tanh units the authors got no meaningful result."""
    dropout: float = 0.0
    """On word vectors and on the maxout units. The paper has none."""
    deviation: float = 0.01
    """Standard deviation of all weights at the start, but of the recurrent ones, which are orthogonal."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "rank", "maxout_width", "maximum_length")
        dropout_rates(self, "dropout")
        more_than_zero(self, "deviation")


@dataclass(frozen=True)
class Summary(Memory):
    """The whole source as one vector c."""

    context: Float[Tensor, "batch width"]


@dataclass(frozen=True)
class RNNEncoderDecoderState(State):
    """The decoder's state; and c, also as the decoder's unit hears it."""

    carried: Float[Tensor, "batch carried"]
    context: Float[Tensor, "batch width"]
    heard: Float[Tensor, "batch gates"]


class RNNEncoderDecoder(Transducer[Summary, RNNEncoderDecoderState], LinearOutput):
    """One recurrent network reads the source into a vector, another writes the target from it."""

    def __init__(self, config: RNNEncoderDecoderConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        width, deviation = config.width, config.deviation
        rank = config.rank or max(1, width // 10)
        maxout_width = config.maxout_width or max(1, width // 2)
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, width=rank + 1)
        self.config = config

        self.source_embedding = nn.Embedding(source_vocabulary, rank)
        self.target_embedding = nn.Embedding(target_vocabulary, rank)
        self.encoder = ENCODER_CELLS[config.cell](rank, width, deviation=deviation)
        self.summary = nn.Linear(width, width)
        self.opening = nn.Linear(width, width)
        self.decoder = DECODER_CELLS[config.cell](rank, width, width, deviation=deviation)
        self.maxout = MaxoutOutput(width, rank, width, maxout_width, deviation)
        self.to_rank = nn.Linear(maxout_width, rank, bias=False)
        self.output = BiasedProjection(rank, target_vocabulary, deviation)
        for part in (self.source_embedding, self.target_embedding, self.summary, self.opening, self.to_rank):
            nn.init.normal_(part.weight, std=deviation)
        for biased in (self.summary, self.opening):
            nn.init.zeros_(biased.bias)

    def encode(self, source: Sequences) -> Summary:
        """The state after the last word, squeezed once more."""
        embedded = dropout(self.source_embedding(source.tokens), self.config.dropout, self.training)
        states = self.encoder.read(self.encoder.project(embedded), self.encoder.initial_state(embedded))
        context = self.summary(last(self.encoder.hidden(states), source.lengths)).tanh()
        return Summary(context.to(self.decoder.recurrent.dtype))

    def states(self, reads: Sequences, memory: Summary) -> Float[Tensor, "batch target width"]:
        """What the output matrix G_l will read at each position: G_r s, and a one for the bias."""
        state = self.start(memory)
        words = self._words(reads.tokens)
        hidden = self.decoder.hidden(self.decoder.read(self.decoder.project(words), state.carried, state.heard))
        return self._before_output(hidden, words, memory.context.unsqueeze(1))

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """G_l, the larger half of the output matrix."""
        return self.output(states)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """G_l, and the bias as its last column."""
        return self.output.weight

    def start(self, memory: Summary) -> RNNEncoderDecoderState:
        """h'_0 = tanh(V' c)."""
        opening = self.opening(memory.context).tanh().to(self.decoder.recurrent.dtype)
        heard = self.decoder.project_context(memory.context)
        return RNNEncoderDecoderState(self.decoder.state_from_hidden(opening), memory.context, heard)

    def step(
        self, token: Int[Tensor, " batch"], state: RNNEncoderDecoderState
    ) -> tuple[Float[Tensor, "batch vocabulary"], RNNEncoderDecoderState]:
        """One word read, the scores of the next."""
        word = self._words(token)
        with torch.autocast(token.device.type, enabled=False):
            carried = self.decoder.step(self.decoder.project(word), state.carried, state.heard)
            states = self._before_output(self.decoder.hidden(carried), word, state.context)
            return self.logits(states), RNNEncoderDecoderState(carried, state.context, state.heard)

    def _words(self, tokens: Int[Tensor, "*rows"]) -> Float[Tensor, "*rows rank"]:
        """The vectors of what was written last; before the first word there is none."""
        vectors = self.target_embedding(tokens).masked_fill((tokens == BOS).unsqueeze(-1), 0.0)
        return dropout(vectors, self.config.dropout, self.training)

    def _before_output(
        self,
        hidden: Float[Tensor, "*rows state_width"],
        words: Float[Tensor, "*rows rank"],
        context: Float[Tensor, "*any context_width"],
    ) -> Float[Tensor, "*rows width"]:
        units = dropout(self.maxout(hidden, words, context), self.config.dropout, self.training)
        return with_one(self.to_rank(units))
