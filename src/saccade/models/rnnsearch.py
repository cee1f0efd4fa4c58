"""RNNsearch: Bahdanau et al. 2015, "Neural Machine Translation by Jointly Learning to Align and Translate".

    encoder   h_j = [forward gru_j ; backward gru_j]
    look      e_ij = v^T tanh(W s_{i-1} + U h_j);   alpha_i = softmax(e_i);   c_i = sum_j alpha_ij h_j
    decoder   s_0 = tanh(W_s backward_1);   s_i = gru(E y_{i-1}, s_{i-1}, c_i)
    output    t~_i = U_o s_i + V_o E y_{i-1} + C_o c_i;   t = pairwise max;   p(y_i) = softmax(W_o t_i)

No vector has to hold the whole sentence: before each word the decoder looks for what it needs, and what it looks at is
learned together with everything else. The score and the alignment function can be exchanged for any of attention/, and
with `context = "last"` the decoder looks at nothing: what is left is the paper's baseline RNNencdec.

Where to look depends on the state before, so positions follow one another also in training. Everything else, the parts
that words and annotations contribute and the output layer, is computed for all positions at once.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.alignment_catalogue import AlignmentName, alignment
from saccade.attention.scores import Indifferent, ScoreName, score
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.dropout import dropout
from saccade.layers.attentive_cell import attentive_states
from saccade.layers.biased_projection import BiasedProjection, with_one
from saccade.layers.cells import DECODER_CELLS, ENCODER_CELLS, CellName, read_both_ways
from saccade.layers.maxout import MaxoutOutput
from saccade.layers.reversal import last
from saccade.models.capabilities import LinearOutput
from saccade.models.checks import at_least_one, dropout_rates, more_than_zero
from saccade.models.contract import Memory, State, Transducer
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class RNNsearchConfig:
    """The letters of appendix A.2 in words: n, m, l and n', and what was left open."""

    width: int = 1000
    """Hidden units of the decoder and of each direction of the encoder."""
    embedding_width: int | None = None
    """None: 62 hundredths of the width."""
    maxout_width: int | None = None
    """Maxout units of the output layer. None: half of the width."""
    attention_width: int | None = None
    """The size inside the tanh of an additive score. None: the width."""
    context: Literal["search", "last"] = "search"
    """"last": no attention, the forward encoder's last state at every position, as in RNNencdec."""
    score: ScoreName = "additive"
    alignment: AlignmentName = "soft"
    """"diagonal" is what the authors tried before they let the model learn where to look."""
    reach: int = 10
    """How far a local alignment sees to each side."""
    top_k: int = 4
    """How many source positions a "top-k" alignment keeps."""
    output_state: Literal["current", "previous"] = "current"
    """Which state the output layer reads: s_i, of which the paper speaks, or s_{i-1}, which its appendix prints."""
    cell: CellName = "gru-bahdanau"
    dropout: float = 0.0
    """On word vectors and on the maxout units. The paper has none."""
    deviation: float = 0.01
    """Standard deviation of all weights at the start, but of the recurrent ones and those of the score."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "embedding_width", "maxout_width", "attention_width", "maximum_length")
        at_least_one(self, "reach", "top_k")
        dropout_rates(self, "dropout")
        more_than_zero(self, "deviation")


@dataclass(frozen=True)
class Annotations(Memory):
    """What the encoder says of each position, which of them are real, and what the decoder begins with.

    Without attention there is one annotation: the forward encoder's last state.
    """

    annotations: Float[Tensor, "batch source annotation_width"]
    real: Bool[Tensor, "batch source"]
    opening: Float[Tensor, "batch width"]


@dataclass(frozen=True)
class RNNsearchState(State):
    """The decoder's state, how much is written, and the annotations as the score wants them.

    A row may hold several hypotheses of one sentence; they share its annotations.
    """

    carried: Float[Tensor, "batch hypotheses carried"]
    position: Int[Tensor, " batch"]
    source: PreparedKeysValues

    def branch(self, sentences: int, size: int, capacity: int) -> "RNNsearchBeamState":  # noqa: ARG002 no room is needed
        """The state of `size` equal hypotheses of each sentence, which all look at the same annotations."""
        assert sentences == len(self.carried)
        return RNNsearchBeamState(self.carried.repeat(1, size, 1), self.position, self.source)


@dataclass(frozen=True)
class RNNsearchBeamState(RNNsearchState):
    """The same for several hypotheses of each sentence."""

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "RNNsearchBeamState":
        """The state of hypotheses that continue these ones."""
        return replace(self, carried=self.carried.gather(1, parents.unsqueeze(-1).expand_as(self.carried)))

    def keep(self, sentences: Int[Tensor, " kept"], size: int) -> "RNNsearchBeamState":  # noqa: ARG002 known already
        """These sentences alone."""
        return self.select(sentences)


class RNNsearch(Transducer[Annotations, RNNsearchState], LinearOutput):
    """A recurrent decoder that searches the source before it writes each word."""

    def __init__(self, config: RNNsearchConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        width, deviation = config.width, config.deviation
        embedding_width = config.embedding_width or max(1, round(0.62 * width))
        maxout_width = config.maxout_width or max(1, width // 2)
        searches = config.context == "search"
        context_width = 2 * width if searches else width
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, width=maxout_width + 1)
        self.config = config

        self.source_embedding = nn.Embedding(source_vocabulary, embedding_width)
        self.target_embedding = nn.Embedding(target_vocabulary, embedding_width)
        self.forward_encoder = ENCODER_CELLS[config.cell](embedding_width, width, deviation=deviation)
        if searches:
            self.backward_encoder = ENCODER_CELLS[config.cell](embedding_width, width, deviation=deviation)
            self.attention = _attention(config, query_width=width, key_width=context_width)
            self.alignment_blocks = ("attention",)
        self.opening = nn.Linear(width, width)
        self.decoder = DECODER_CELLS[config.cell](embedding_width, width, context_width, deviation)
        self.maxout = MaxoutOutput(width, embedding_width, context_width, maxout_width, deviation)
        self.output = BiasedProjection(maxout_width, target_vocabulary, deviation)
        for part in (self.source_embedding, self.target_embedding, self.opening):
            nn.init.normal_(part.weight, std=deviation)
        nn.init.zeros_(self.opening.bias)

    def encode(self, source: Sequences) -> Annotations:
        """Each position in the light of what precedes it and of what follows it."""
        embedded = dropout(self.source_embedding(source.tokens), self.config.dropout, self.training)
        cell = self.forward_encoder
        if self.config.context == "last":
            states = cell.hidden(cell.read(cell.project(embedded), cell.initial_state(embedded)))
            final = last(states, source.lengths)
            return Annotations(final.unsqueeze(1), source.mask[:, :1], final)
        ahead, back = read_both_ways(cell, self.backward_encoder, embedded, source.lengths)
        return Annotations(torch.cat([ahead, back], dim=-1), source.mask, back[:, 0])

    def states(self, reads: Sequences, memory: Annotations) -> Float[Tensor, "batch target width"]:
        """The maxout units of each position, and a one for the bias of the output."""
        start = self.start(memory)
        words = self._words(reads.tokens)
        projected, carried = self.decoder.project(words), start.carried[:, 0]
        if self.config.context == "last":
            heard = self.decoder.project_context(memory.annotations[:, 0])
            carried_after, contexts = self.decoder.read(projected, carried, heard), memory.annotations
        else:
            carried_after, contexts = attentive_states(
                self.attention, self.decoder, projected, carried, start.source, reads.positions
            )
        hidden = self.decoder.hidden(carried_after)
        if self.config.output_state == "previous":
            hidden = torch.cat([self.decoder.hidden(start.carried), hidden[:, :-1]], dim=1)
        return self._before_output(hidden, words, contexts)

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W_o t."""
        return self.output(states)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """W_o, and the bias as its last column."""
        return self.output.weight

    def start(self, memory: Annotations) -> RNNsearchState:
        """s_0 = tanh(W_s backward_1); what the score makes of the annotations is computed here, once."""
        opening = self.opening(memory.opening).tanh().to(self.decoder.recurrent.dtype)
        position = torch.zeros_like(memory.real[:, 0], dtype=torch.int64)
        if self.config.context == "last":
            source = PreparedKeysValues(memory.annotations, memory.annotations, memory.real)
        else:
            with torch.autocast(opening.device.type, enabled=False):
                source = self.attention.prepare(memory.annotations, memory.annotations, memory.real)
        return RNNsearchState(self.decoder.state_from_hidden(opening).unsqueeze(1), position, source)

    def step(
        self, token: Int[Tensor, " rows"], state: RNNsearchState
    ) -> tuple[Float[Tensor, "rows vocabulary"], RNNsearchState]:
        """Looks, reads one word, gives the scores of the next."""
        with torch.autocast(token.device.type, enabled=False):
            size = state.carried.shape[1]
            before = self.decoder.hidden(state.carried)
            if self.config.context == "last":
                context = state.source.values.expand(-1, size, -1)
            else:
                positions = state.position.unsqueeze(1).expand(-1, size)
                context = self.attention(before, state.source, positions)
            words, heard = self._words(token), self.decoder.project_context(context.flatten(0, 1))
            carried = self.decoder.step(self.decoder.project(words), state.carried.flatten(0, 1), heard)
            hidden = before.flatten(0, 1) if self.config.output_state == "previous" else self.decoder.hidden(carried)
            logits = self.logits(self._before_output(hidden, words, context.flatten(0, 1)))
        return logits, replace(state, carried=carried.view_as(state.carried), position=state.position + 1)

    def _words(self, tokens: Int[Tensor, "*rows"]) -> Float[Tensor, "*rows embedding_width"]:
        return dropout(self.target_embedding(tokens), self.config.dropout, self.training)

    def _before_output(
        self,
        hidden: Float[Tensor, "*rows state_width"],
        words: Float[Tensor, "*rows embedding_width"],
        contexts: Float[Tensor, "*any context_width"],
    ) -> Float[Tensor, "*rows width"]:
        units = dropout(self.maxout(hidden, words, contexts), self.config.dropout, self.training)
        return with_one(units)


def _attention(config: RNNsearchConfig, query_width: int, key_width: int) -> Attention:
    """What looks: a fixed alignment asks no score, so it gets one without parameters."""
    aligning = alignment(config.alignment, query_width, config.reach, config.top_k)
    if config.alignment == "diagonal":
        return Attention(Indifferent(), aligning)
    hidden_width = config.attention_width or query_width
    return Attention(score(config.score, query_width, key_width, hidden_width, config.maximum_length), aligning)
