"""The Transformer's decoder alone, as a language model: Liu et al. 2018, "Generating Wikipedia by Summarizing ...".

They left out the encoder of Vaswani et al. 2017, and with it the decoder's attention over a source.

    x_t = E[w_t] sqrt(d) + PE(t)        h = layers(x), causal        p(w_{t+1} | w_1..t) = softmax(E h_t)

What is left of a decoder layer is self-attention and a feed-forward network, so that the stack is that of the encoder
with a causal rule. The sizes are those of the paper's base model, of which this is the right half.
"""

from dataclasses import dataclass, replace
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from saccade.attention.cache import Ancestors, BeamKeysValues, allocate, keep_written
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues
from saccade.dropout import dropout
from saccade.layers.embedding import embed_with_positions
from saccade.layers.position import add_positions
from saccade.models.capabilities import LinearOutput, ReadsPacked
from saccade.models.checks import at_least_one
from saccade.models.contract import State
from saccade.models.language_model import EmptySource, LanguageModel
from saccade.models.transformer_stacks import SelfAttentionStack, StackConfig, initialise
from saccade.sequences import Packed, Sequences


@dataclass(frozen=True, kw_only=True)
class TransformerLanguageModelConfig(StackConfig):
    """The letters of Table 3 in words, with one stack of N layers."""

    layers: int = 6
    tie: Literal["target", "none"] = "target"
    """"target": one matrix is the table of words and the output projection (section 3.4)."""

    def __post_init__(self) -> None:
        at_least_one(self, "layers")
        super().__post_init__()


@dataclass(frozen=True)
class TransformerLanguageModelState(State):
    """For each layer, the keys and values of what was written so far."""

    written: tuple[KeysValues, ...]

    def branch(self, sentences: int, size: int, capacity: int) -> "TransformerLanguageModelBeamState":
        """The cache is allocated for all hypotheses of each sentence."""
        assert not len(self.written[0]), "a search begins where nothing is written"
        written = tuple(allocate(before, size, capacity) for before in self.written)
        ancestors = Ancestors.none(sentences, size, capacity, like=written[0].keys)
        return TransformerLanguageModelBeamState(written, ancestors)


@dataclass(frozen=True)
class TransformerLanguageModelBeamState(TransformerLanguageModelState):
    """The same for several hypotheses of each sentence, which share an allocated cache.

    A step writes into that cache: a state can be continued only once.
    """

    ancestors: Ancestors

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "TransformerLanguageModelBeamState":
        """Only who descends from whom changes."""
        return replace(self, ancestors=self.ancestors.reorder(parents))

    def keep(self, sentences: Int[Tensor, " kept"], size: int) -> "TransformerLanguageModelBeamState":
        """These sentences alone."""
        written = tuple(keep_written(each, sentences, size, self.ancestors) for each in self.written)
        return TransformerLanguageModelBeamState(written, self.ancestors.select(sentences))


class TransformerLanguageModel(
    LanguageModel[TransformerLanguageModelState],
    ReadsPacked[EmptySource, TransformerLanguageModelState],
    LinearOutput,
):
    """A table of words, positions, a causal stack, and a projection to the vocabulary."""

    def __init__(self, config: TransformerLanguageModelConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.packs = config.packs
        self.decoder = SelfAttentionStack(config, config.layers)
        initialise(self, config)
        self.embedding = config.embedding(target_vocabulary)
        self.output = self.embedding if config.tie == "target" else config.embedding(target_vocabulary)
        self.positions = config.position_table()

    def states(
        self,
        reads: Sequences | Packed,
        memory: EmptySource,  # noqa: ARG002 - there is nothing in it
    ) -> Float[Tensor, "batch target width"]:
        """All positions at once; the causal rule keeps each from seeing what it must predict."""
        share = self.config.dropout if self.training else 0.0
        embedded = embed_with_positions(self.embedding, self.positions, reads, share)
        visibility = Visibility.within(reads, causal=True, window=self.config.attention_window)
        states: Tensor = self.decoder(embedded, visibility)
        return states

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The pre-softmax projection, by default the matrix of the embeddings."""
        return self.output.logits(states)

    @property
    def projection(self) -> Float[Tensor, "vocabulary width"]:
        """The matrix of `logits`."""
        return self.output.weight

    def start(self, memory: EmptySource) -> TransformerLanguageModelState:
        """Nothing written yet."""
        rows = self.embedding.weight.new_empty(len(memory.lengths), 0, self.width)
        return TransformerLanguageModelState(self.decoder.initial_state(rows))

    def step(
        self, token: Int[Tensor, " batch"], state: TransformerLanguageModelState
    ) -> tuple[Float[Tensor, "batch vocabulary"], TransformerLanguageModelState]:
        """One position: what `states` and `logits` compute for the last of the tokens read so far."""
        if isinstance(state, TransformerLanguageModelBeamState):
            return self._step_of_branches(token, state)
        place = self.positions(len(state.written[0]), 1).unsqueeze(0)
        visibility = Visibility(causal=True, window=self.config.attention_window)
        states, written = self.decoder.step(self._embed(token.unsqueeze(1), place), state.written, visibility)
        return self.logits(states[:, 0]), TransformerLanguageModelState(written)

    def _step_of_branches(
        self, token: Int[Tensor, " batch"], state: TransformerLanguageModelBeamState
    ) -> tuple[Float[Tensor, "batch vocabulary"], TransformerLanguageModelBeamState]:
        """The same for the hypotheses of each sentence side by side, as if they were positions of one row.

        Only attention tells positions from hypotheses, by the table of ancestors.
        """
        size = state.ancestors.size
        place = functional.embedding(state.ancestors.position, self.positions.table).unsqueeze(1)
        embedded = self._embed(token.view(-1, size), place.expand(-1, size, -1))
        ancestors, cache_step = state.ancestors.advance(self.config.attention_window)
        written = tuple(BeamKeysValues(before.keys, before.values, cache_step) for before in state.written)
        states, _ = self.decoder.step(embedded, written, Visibility())
        return self.logits(states.flatten(0, 1)), replace(state, ancestors=ancestors)

    def _embed(
        self, reads: Int[Tensor, "batch target"], places: Float[Tensor, "#batch target width"]
    ) -> Float[Tensor, "batch target width"]:
        states = add_positions(self.embedding(reads), self.positions, places, self.embedding.scale)
        return dropout(states, self.config.dropout, self.training)
