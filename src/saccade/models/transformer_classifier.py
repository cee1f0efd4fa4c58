"""The Transformer's encoder as a classifier: Vaswani et al. 2017, section 3.1, without the decoder.

    h = encoder(E[w] sqrt(d) + PE)        m = 1/n sum_t h_t        label scores = W m + b

A sentence is the mean of what the encoder made of its tokens, EOS among them. A mean has no parameters, so every
position is heard from the first step of training on; which words matter is left to the heads of the encoder.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.masks import Visibility
from saccade.dropout import dropout
from saccade.layers.embedding import embed_with_positions
from saccade.models.checks import at_least_one
from saccade.models.classifier import Classifier, SentenceEmbedding
from saccade.models.transformer_stacks import SelfAttentionStack, StackConfig, initialise
from saccade.sequences import Sequences


@dataclass(frozen=True, kw_only=True)
class TransformerClassifierConfig(StackConfig):
    """The letters of Table 3 in words, with one stack of N layers."""

    layers: int = 6

    def __post_init__(self) -> None:
        at_least_one(self, "layers")
        super().__post_init__()


class TransformerClassifier(Classifier[SentenceEmbedding]):
    """An encoder, the mean over its real positions, and a projection to the labels."""

    def __init__(self, config: TransformerClassifierConfig, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, width=config.width + 1)
        self.config = config
        self.encoder = SelfAttentionStack(config, config.layers)
        self.output = nn.Linear(config.width, target_vocabulary)
        initialise(self, config)
        self.embedding = config.embedding(source_vocabulary)
        self.positions = config.position_table()

    def encode(self, source: Sequences) -> SentenceEmbedding:
        """The mean over the real positions."""
        share = self.config.dropout if self.training else 0.0
        embedded = embed_with_positions(self.embedding, self.positions, source, share)
        states = self.encoder(embedded, Visibility.within(source, window=self.config.attention_window))
        total = states.masked_fill(~source.mask.unsqueeze(-1), 0.0).sum(dim=1)
        return SentenceEmbedding(total / source.lengths.unsqueeze(1))

    def classify(self, embedding: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """W m + b."""
        scores: Tensor = self.output(dropout(embedding, self.config.dropout, self.training))
        return scores
