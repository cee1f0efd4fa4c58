"""A classifier: a transducer that writes one label and then EOS.

Its labels are the tokens of the target vocabulary. A state is the embedding of the sentence and one more number: 0
before the label, 1 after it. That EOS, and nothing else, follows a label is fixed, not learned. A label that was not
in the training text is UNK, which is never written.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.models.contract import IMPOSSIBLE, Memory, State, Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import EOS, SPECIAL


@dataclass(frozen=True)
class SentenceEmbedding(Memory):
    """A sentence as one vector."""

    embedding: Float[Tensor, "batch width"]


@dataclass(frozen=True)
class ClassifierState(State):
    """The sentence, and whether its label has been written."""

    embedding: Float[Tensor, "batch width"]
    written: Int[Tensor, " batch"]


AnyEmbedding = TypeVar("AnyEmbedding", bound=SentenceEmbedding)


class Classifier(Transducer[AnyEmbedding, ClassifierState]):
    """A model that writes one label."""

    @abstractmethod
    def classify(self, embedding: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each label."""

    def states(self, reads: Sequences, memory: AnyEmbedding) -> Float[Tensor, "batch target width"]:
        """The same embedding at every position, and which positions come after the label."""
        return self._states(memory.embedding.unsqueeze(1).expand(-1, reads.tokens.shape[1], -1), reads.positions > 0)

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The scores of the labels; after a label, EOS alone is possible."""
        embedding, written = states[..., :-1], states[..., -1:] > 0.5
        scores = self.classify(embedding)
        tokens = torch.arange(scores.shape[-1], device=scores.device)
        possible = torch.where(written, tokens == EOS, tokens >= SPECIAL)
        return scores.masked_fill(~possible, IMPOSSIBLE)

    def start(self, memory: AnyEmbedding) -> ClassifierState:
        """No label yet."""
        return ClassifierState(memory.embedding, torch.zeros_like(memory.embedding[:, 0], dtype=torch.int64))

    def step(
        self,
        token: Int[Tensor, " batch"],  # noqa: ARG002 the next score does not depend on which label was read
        state: ClassifierState,
    ) -> tuple[Float[Tensor, "batch vocabulary"], ClassifierState]:
        """The scores of the labels at the first step, EOS at the second."""
        logits = self.logits(self._states(state.embedding, state.written > 0))
        return logits, ClassifierState(state.embedding, torch.ones_like(state.written))

    def _states(self, embedding: Float[Tensor, "*rows width"], written: Tensor) -> Float[Tensor, "*rows one_wider"]:
        flags = written.unsqueeze(-1).to(embedding.dtype).expand(*embedding.shape[:-1], 1)
        return torch.cat([embedding, flags], dim=-1)
