"""A sentence as a matrix of several looks at it: Lin et al. 2017, "A Structured Self-attentive Sentence Embedding".

    H = [forward LSTM; backward LSTM]              one row of 2u numbers for each of the n words
    A = softmax(W_s2 tanh(W_s1 H^T))               r hops, each a distribution over the words
    M = A H                                        r rows of 2u numbers: the embedding
    label scores = W_2 relu(W_1 M + b_1) + b_2

Nothing keeps the hops from all looking at the same words but a penalty, added to the loss of each sentence:

    P = ||A A^T - I||_F^2

It is zero when every hop rests on one word, and no two on the same.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.altering import altered
from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.layers.reversal import backwards, flipped
from saccade.layers.rnn import RNNStack
from saccade.models.capabilities import Penalised
from saccade.models.checks import at_least_one, at_least_zero, dropout_rates
from saccade.models.classifier import Classifier, SentenceEmbedding
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class SelfAttentiveConfig:
    """The paper's u, d_a and r in words, with the sizes of its experiment on Yelp reviews."""

    width: int = 300
    """u: the size of the LSTM of each direction."""
    embedding_width: int = 100
    attention_width: int = 350
    """d_a: the size inside the tanh."""
    hops: int = 30
    """r: how many times the sentence is looked at."""
    inner_width: int = 3000
    """Between the two layers of the classifier."""
    penalty: float = 1.0
    """What the penalty P is multiplied with; 0: none."""
    penalty_norm: Literal["squared", "plain"] = "squared"
    """The paper squares the norm. "plain" does not, as a public implementation has it."""
    dropout: float = 0.5
    """On the embedding and inside the classifier."""
    maximum_length: int = 1024

    def __post_init__(self) -> None:
        at_least_one(self, "width", "embedding_width", "attention_width", "hops", "inner_width", "maximum_length")
        dropout_rates(self, "dropout")
        at_least_zero(self, "penalty")


@dataclass(frozen=True)
class Annotated(SentenceEmbedding):
    """A sentence as one vector, and where each hop looked to make it."""

    weights: Float[Tensor, "batch hops source"]


class Annotation(nn.Module):
    """A = softmax(W_s2 tanh(W_s1 H^T)), each row over the real words."""

    def __init__(self, width: int, attention_width: int, hops: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width, attention_width, bias=False)
        self.outer = nn.Linear(attention_width, hops, bias=False)

    def forward(
        self, states: Float[Tensor, "batch source width"], real: Bool[Tensor, "batch source"]
    ) -> Float[Tensor, "batch hops source"]:
        """The weight of every word for every hop."""
        weights = softmax_where(self.outer(torch.tanh(self.inner(states))).transpose(1, 2), real.unsqueeze(1))
        return altered(self, weights)

    if TYPE_CHECKING:
        __call__ = forward


class SelfAttentive(Classifier[Annotated], Penalised):
    """A bidirectional LSTM, some hops of attention over its states, and a classifier of what they found."""

    alignment_blocks = ("annotation",)

    def __init__(self, config: SelfAttentiveConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        size = config.hops * 2 * config.width
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, width=size + 1)
        self.config = config
        self.embedding = nn.Embedding(source_vocabulary, config.embedding_width)
        self.onward = RNNStack("lstm", config.embedding_width, config.width)
        self.backward = RNNStack("lstm", config.embedding_width, config.width)
        self.annotation = Annotation(2 * config.width, config.attention_width, config.hops)
        self.inner = nn.Linear(size, config.inner_width)
        self.outer = nn.Linear(config.inner_width, target_vocabulary)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def encode(self, source: Sequences) -> Annotated:
        """M = A H, row after row as one vector."""
        words = self.embedding(source.tokens)
        nothing = self.onward.initial_state(words)
        onward, _ = self.onward(words, nothing)
        if watch := watcher(self.backward):
            watch(order=backwards(source.lengths, words.shape[1]))
        backward, _ = self.backward(flipped(words, source.lengths), nothing)
        states = torch.cat([onward, flipped(backward, source.lengths)], dim=-1)
        weights = self.annotation(states, source.mask)
        return Annotated((weights @ states).flatten(1), weights)

    def states(self, reads: Sequences, memory: Annotated) -> Float[Tensor, "batch target width"]:
        """As for every classifier; a recording receives the weights of the hops, one head each."""
        if watch := watcher(self.annotation):
            looked = memory.weights.unsqueeze(2).expand(-1, -1, reads.tokens.shape[1], -1)
            watch(weights=looked, rest=lambda: {"score": "self-attentive"})
        return super().states(reads, memory)

    def classify(self, embedding: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """Two layers with a ReLU between them."""
        share, training = self.config.dropout, self.training
        inner = torch.relu(self.inner(dropout(embedding, share, training)))
        scores: Tensor = self.outer(dropout(inner, share, training))
        return scores

    def penalty(self, memory: Annotated) -> Float[Tensor, ""] | None:
        """How much the hops of each sentence overlap, summed over the sentences."""
        if self.config.penalty == 0:
            return None
        weights = memory.weights.to(torch.promote_types(memory.weights.dtype, torch.float32))
        with torch.autocast(weights.device.type, enabled=False):  # what is left after subtracting one may be little
            excess = weights @ weights.transpose(1, 2)
        excess = excess - torch.eye(self.config.hops, dtype=weights.dtype, device=weights.device)
        squared = self.config.penalty_norm == "squared"
        norms: Tensor = excess.square() if squared else torch.linalg.vector_norm(excess, dim=(1, 2))
        return self.config.penalty * norms.sum()
