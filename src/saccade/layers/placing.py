"""What the first layer reads: each token's vector with its place added, and dropout on the sum."""

from jaxtyping import Float
from torch import Tensor

from saccade import dropout as dropouts
from saccade.attention.recording import watcher
from saccade.kernels import triton_available_for
from saccade.layers.embedding import Embedding
from saccade.layers.position import FixedPositions, LearnedPositions
from saccade.sequences import Packed, Sequences


def embed_with_positions(
    embedding: Embedding,
    positions: FixedPositions | LearnedPositions,
    sentences: Sequences | Packed,
    dropout: float,
) -> Float[Tensor, "batch length width"]:
    """Dropout(E[token] sqrt(d) + PE(position)): Vaswani et al. 2017, sections 3.4, 3.5 and 5.4."""
    if (
        isinstance(sentences, Packed)
        and isinstance(positions, FixedPositions)
        and triton_available_for(embedding.weight)
    ):
        from saccade.kernels.embedding import embed

        return embed(embedding.weight, sentences.tokens, positions.table, sentences.positions, embedding.scale, dropout)
    return dropouts.dropout(
        add_positions(embedding(sentences.tokens), positions, positions.of(sentences), embedding.scale),
        dropout,
        training=True,
    )


def add_positions(
    vectors: Float[Tensor, "batch length width"],
    positions: FixedPositions | LearnedPositions,
    places: Float[Tensor, "#batch length width"],
    scale: float,
) -> Float[Tensor, "batch length width"]:
    """Scaled vectors of tokens plus those of their places, told to whoever looks."""
    total = vectors + places
    if watch := watcher(positions):
        watch(token=vectors, position=places.expand_as(vectors), sum=total, scale=scale, kind=positions.kind)
    return total
