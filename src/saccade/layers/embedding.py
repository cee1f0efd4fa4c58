"""Tokens to vectors with positions added, and states back to logits: Vaswani et al. 2017, sections 3.4 and 3.5."""

import math
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade import dropout as dropouts
from saccade.kernels import triton_available_for
from saccade.layers.position import FixedPositions, LearnedPositions, add_positions
from saccade.sequences import Packed, Sequences


class Embedding(nn.Module):
    """E[token] * sqrt(d), and as the pre-softmax projection logits = H E^T; unscaled, E[token].

    Rows start with variance 1/d, so that the scaled embedding has unit variance and is not swamped by the position
    added to it, and so that the logits of a normalised state have unit variance as well.
    """

    def __init__(self, vocabulary: int, width: int, *, scaled: bool = True) -> None:
        super().__init__()
        self.scale = math.sqrt(width) if scaled else 1.0
        self.weight = nn.Parameter(torch.empty(vocabulary, width))
        nn.init.normal_(self.weight, std=width**-0.5)

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length width"]:
        """The scaled vector of each token."""
        return functional.embedding(tokens, self.weight) * self.scale

    def logits(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each token of the vocabulary for each state."""
        return functional.linear(states, self.weight)

    if TYPE_CHECKING:
        __call__ = forward


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
