"""Where a token stands, as a vector added to its embedding: Vaswani et al. 2017, section 3.5."""

import math
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.recording import watcher
from saccade.errors import InputError
from saccade.sequences import Packed, Sequences


def sinusoids(length: int, width: int) -> Float[Tensor, "length width"]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same): sine and cosine alternate.

    PE(pos + k) is a rotation of PE(pos) that depends on k alone, which lets a linear map attend by relative position.
    Computed in float64: at large positions a float32 angle has lost the digits that tell neighbours apart.
    """
    angles = _angles(length, torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width].float()


def tensor2tensor_sinusoids(length: int, width: int) -> Float[Tensor, "length width"]:
    """The authors' own code: all sines, then all cosines; the slowest wavelength is exactly 10000 * 2 pi."""
    half = width // 2
    angles = _angles(length, torch.arange(half, dtype=torch.float64) / max(half - 1, 1))
    return torch.cat([angles.sin(), angles.cos(), angles.new_zeros(length, width % 2)], dim=-1).float()


def halved_sinusoids(length: int, width: int) -> Float[Tensor, "length width"]:
    """The waves of `sinusoids`, all sines before all cosines: what Hugging Face's Marian and Pegasus compute with."""
    interleaved = sinusoids(length, width)
    return torch.cat([interleaved[:, 0::2], interleaved[:, 1::2]], dim=-1)


def _angles(length: int, exponents: Float[Tensor, " waves"]) -> Float[Tensor, "length waves"]:
    positions = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    return positions * torch.exp(exponents * -math.log(10_000.0))


def _places(table: Float[Tensor, "positions width"], start: int, length: int) -> Float[Tensor, "length width"]:
    if start + length > table.shape[0]:
        raise InputError(
            f"a sequence must have at most {table.shape[0]} tokens, which is as far as this model's positions go, "
            f"but has {start + length}. Split it, or train with a larger `model.maximum_length`."
        )
    return table[start : start + length]


def _places_of(
    table: Float[Tensor, "positions width"], sentences: Sequences | Packed
) -> Float[Tensor, "#batch length width"]:
    if isinstance(sentences, Packed):
        return functional.embedding(sentences.positions, table)
    return _places(table, 0, sentences.tokens.shape[1]).unsqueeze(0)


class FixedPositions(nn.Module):
    """A table that is computed, not learned; it is never part of a checkpoint."""

    table: Tensor

    def __init__(self, table: Float[Tensor, "length width"], kind: str = "sinusoidal") -> None:
        super().__init__()
        self.kind = kind
        self.register_buffer("table", table, persistent=False)

    def forward(self, start: int, length: int) -> Float[Tensor, "length width"]:
        """The vectors of `length` positions from `start` on."""
        return _places(self.table, start, length)

    def of(self, sentences: Sequences | Packed) -> Float[Tensor, "#batch length width"]:
        """The vector of each token's place in its sentence."""
        return _places_of(self.table, sentences)

    if TYPE_CHECKING:
        __call__ = forward


class LearnedPositions(nn.Module):
    """A trainable table instead of the sinusoids: Table 3, row E."""

    kind = "learned"

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(length, width))
        nn.init.normal_(self.table, std=width**-0.5)

    def forward(self, start: int, length: int) -> Float[Tensor, "length width"]:
        """The vectors of `length` positions from `start` on."""
        return _places(self.table, start, length)

    def of(self, sentences: Sequences | Packed) -> Float[Tensor, "#batch length width"]:
        """The vector of each token's place in its sentence."""
        return _places_of(self.table, sentences)

    if TYPE_CHECKING:
        __call__ = forward


def add_positions(
    vectors: Float[Tensor, "batch length width"],
    positions: FixedPositions | LearnedPositions,
    places: Float[Tensor, "#batch length width"],
    scale: float,
) -> Float[Tensor, "batch length width"]:
    """Scaled token vectors plus position vectors, handed to a trace if there is one."""
    total = vectors + places
    if watch := watcher(positions):
        watch(token=vectors, position=places.expand_as(vectors), sum=total, scale=scale, kind=positions.kind)
    return total
