"""Small networks for toy tasks: each reads tokens and gives a state for each position.

Attention is saccade's own; recurrent layers and convolutions are torch's. Positions are added only where asked for.
`OneLook` is a single query that looks at items once. `attend_by` is attention with given scores, as the worked examples
of textbooks print them.
"""

import math
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.attention.scores import ScoreName
from saccade.attention.single_query import Attention
from saccade.layers.embedding import Embedding
from saccade.layers.position import FixedPositions, LearnedPositions, sinusoids
from saccade.models.transformer import Encoder, TransformerConfig

Positions = Literal["sinusoidal", "learned", "none"]


class AttentiveReader(nn.Module):
    """A Transformer's encoder stack over embedded tokens."""

    def __init__(
        self,
        vocabulary: int,
        width: int,
        layers: int = 1,
        heads: int = 4,
        positions: Positions = "sinusoidal",
        causal: bool = False,
        window: int | None = None,
        maximum_length: int = 512,
        score: ScoreName = "scaled-dot",
        key_width: int | None = None,
    ) -> None:
        super().__init__()
        config = TransformerConfig(
            encoder_layers=layers,
            width=width,
            inner_width=4 * width,
            heads=heads,
            key_width=key_width,
            score=score,
            dropout=0.0,
            norm="pre",
        )
        self.embedding = Embedding(vocabulary, width)
        self.positions: FixedPositions | LearnedPositions | None = None
        if positions == "learned":
            self.positions = LearnedPositions(maximum_length, width)
        elif positions == "sinusoidal":
            self.positions = FixedPositions(sinusoids(maximum_length, width))
        self.encoder = Encoder(config)
        self.visibility = Visibility(causal=causal, window=window)

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length width"]:
        """A state for each position."""
        states = self.embedding(tokens)
        if self.positions is not None:
            states = states + self.positions(0, tokens.shape[1])
        result: Tensor = self.encoder(states, self.visibility)
        return result


class RecurrentReader(nn.Module):
    """A tanh, GRU or LSTM network over embedded tokens, in one direction or in both."""

    def __init__(
        self, vocabulary: int, width: int, cell: Literal["tanh", "GRU", "LSTM"] = "GRU", both_ways: bool = False
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        kind = {"tanh": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}[cell]
        each = width // 2 if both_ways else width
        self.network = kind(width, each, batch_first=True, bidirectional=both_ways)
        if cell == "LSTM":
            with torch.no_grad():
                self.network.bias_ih_l0[each : 2 * each] += 1.0

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length width"]:
        """A state for each position."""
        states: Tensor = self.network(self.embedding(tokens))[0]
        return states


class ConvolutionalReader(nn.Module):
    """Convolutions over embedded tokens, residual unless asked otherwise."""

    def __init__(
        self,
        vocabulary: int,
        width: int,
        layers: int,
        kernel: int = 3,
        causal: bool = False,
        residual: bool = True,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.reach = kernel - 1
        self.convolutions = nn.ModuleList(nn.Conv1d(width, width, kernel) for _ in range(layers))
        self.causal, self.residual = causal, residual

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length width"]:
        """A state for each position."""
        states: Tensor = self.embedding(tokens).transpose(1, 2)
        around = (self.reach, 0) if self.causal else (self.reach // 2, self.reach - self.reach // 2)
        for convolution in self.convolutions:
            update = functional.relu(convolution(functional.pad(states, around)))
            states = states + update if self.residual else update
        return states.transpose(1, 2)


class Answering(nn.Module):
    """A reader, and scores of classes for what it has made of each position."""

    def __init__(self, reader: nn.Module, width: int, classes: int) -> None:
        super().__init__()
        self.reader = reader
        self.output = nn.Linear(width, classes)

    def forward(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length classes"]:
        """The scores at every position."""
        scores: Tensor = self.output(self.reader(tokens))
        return scores


class OneLook(nn.Module):
    """One look at a row of items, and a class for what was found."""

    def __init__(self, attention: Attention, value_width: int, classes: int) -> None:
        super().__init__()
        self.attention = attention
        self.output = nn.Linear(value_width, classes)

    def forward(
        self,
        query: Float[Tensor, "batch query_width"],
        keys: Float[Tensor, "batch item key_width"],
        values: Float[Tensor, "batch item value_width"],
    ) -> Float[Tensor, "batch classes"]:
        """The scores of the classes."""
        everything = torch.ones(keys.shape[:2], dtype=torch.bool)
        prepared = self.attention.prepare(keys, values, everything)
        scores: Tensor = self.output(self.attention(query.unsqueeze(1), prepared, torch.zeros(1, 1).long())[:, 0])
        return scores


def attend_by(
    scores: Float[Tensor, "query key"], values: Float[Tensor, "key width"], causal: bool = False
) -> tuple[Float[Tensor, "query key"], Float[Tensor, "query width"]]:
    """The weights and contexts of queries that meet keys with exactly these scores.

    Keys are the unit vectors e_1 ... e_n, so query_i . e_j picks the j-th component of query_i. Equation 1 divides by
    the root of the key width, which is n here, so the queries are that much longer.
    """
    keys = torch.eye(scores.shape[1], dtype=scores.dtype)
    query = scores * math.sqrt(scores.shape[1])
    context, weights = explicit(query[None, None], keys[None, None], values[None, None], Visibility(causal=causal))
    return weights[0, 0], context[0, 0]
