"""The cache of keys and values in a beam search, which is written once and never reordered.

A beam search reorders its hypotheses at every step. Copying all keys and values along would cost more than attending to
them. Here nothing moves: the new keys of all hypotheses go to the next free places of their sentence, and a small table
remembers which places each hypothesis descends from.

    places      h0 h1 h2 | h0 h1 h2 | ...      `size` places for each position, in the order of the hypotheses
    hypothesis  sees one place of each position: its ancestor there

The hypotheses of a sentence are then several queries over the same keys: one product instead of several. The same
holds for the keys of the source, which are kept once for each sentence and not once for each hypothesis.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from saccade.attention.attend import Attended
from saccade.attention.head_scores import HeadScores
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues
from saccade.kernels import triton_available_for
from saccade.sequences import TensorRows


@dataclass(frozen=True)
class CacheStep:
    """What every layer needs in one step: which places each hypothesis sees, and which are written now.

    On a GPU the position is known to the device alone: `now` is a tensor, and `used` says how many places hold
    something. On a CPU `now` is the first of the places that are written, and the bias ends with the last.
    """

    bias: Float[Tensor, "sentences #size places"] | None
    now: int | Int[Tensor, " size"] | None = None
    used: Int[Tensor, " sentences"] | None = None


@dataclass(frozen=True)
class BeamKeysValues(KeysValues):
    """Keys and values kept once for each sentence, of which each of its hypotheses sees some."""

    step: CacheStep
    new: KeysValues | None = None
    """Keys and values of this step that are not in their places yet: on a GPU, attention writes them on its way."""

    def append(self, later: KeysValues) -> "BeamKeysValues":
        """Writes the new keys and values of every hypothesis into their places; what was there is not moved."""
        return replace(self, new=later) if triton_available_for(later.keys) else self._with(later)

    def attend(
        self,
        queries: Float[Tensor, "batch heads query key_width"],
        visibility: Visibility,  # noqa: ARG002 - the step says who sees what
        dropout: float,
    ) -> Float[Tensor, "batch heads query value_width"]:
        """Equation 1 with the hypotheses of a sentence as its queries."""
        assert not dropout, "a search does not drop anything"
        bias, used = self.step.bias, self.step.used
        if bias is not None and triton_available_for(queries):
            from saccade.kernels.beam_attention import beam_attention

            new = None if self.new is None else (self.new.keys, self.new.values)
            return beam_attention(queries, self.keys, self.values, bias, used, new)
        keys, values = self._used
        mask = None if bias is None else bias.unsqueeze(1)
        return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)

    def look(
        self,
        queries: Float[Tensor, "batch heads query key_width"],
        visibility: Visibility,  # noqa: ARG002 - the step says who sees what
        dropout: float,
        score: HeadScores | None = None,
    ) -> Attended:
        """The same with its weights: one for each place, most of them zero."""
        assert not dropout, "a search does not drop anything"
        bias = self.step.bias
        keys, values = (self if self.new is None else self._with(self.new))._used
        if score is None:
            scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[3])
        else:
            # A position has a place for each hypothesis, or in the source, which all of them see, a single one.
            scores = score(queries, keys, places=1 if bias is None else bias.shape[1])
        weights = (scores if bias is None else scores + bias.unsqueeze(1)).softmax(dim=3)
        return Attended(weights @ values, weights)

    def _with(self, later: KeysValues) -> "BeamKeysValues":
        now = self.step.now
        assert now is not None, "the source is not written to"
        for places, new in ((self.keys, later.keys), (self.values, later.values)):
            if isinstance(now, int):
                places.narrow(2, now, new.shape[2]).copy_(new)
            else:
                places.index_copy_(2, now, new)
        return replace(self, new=None)

    @property
    def _used(self) -> tuple[Tensor, Tensor]:
        if self.step.bias is None:
            return self.keys, self.values
        end = self.step.bias.shape[2]
        return self.keys.narrow(2, 0, end), self.values.narrow(2, 0, end)


@dataclass(frozen=True)
class Ancestors(TensorRows):
    """Which places each hypothesis descends from: zero where it sees, minus infinity where it does not.

    `position` is the position that is written next, the same for every sentence.
    """

    bias: Float[Tensor, "sentences size places"]
    position: Int[Tensor, " sentences"]

    @classmethod
    def none(cls, sentences: int, size: int, capacity: int, like: Tensor) -> "Ancestors":
        """Nothing written, and room for `capacity` positions."""
        position = torch.zeros(sentences, dtype=torch.int64, device=like.device)
        return cls(like.new_full((sentences, size, capacity * size), -torch.inf), position)

    @property
    def size(self) -> int:
        """How many hypotheses each sentence has."""
        return self.bias.shape[1]

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "Ancestors":
        """The ancestors of hypotheses that continue these ones; `parents` says which, by place in its sentence."""
        return replace(self, bias=self.bias.gather(1, parents.unsqueeze(2).expand_as(self.bias)))

    def advance(self, window: int | None) -> tuple["Ancestors", CacheStep]:
        """The ancestors once the next position is written, and the step for writing it; do not use this object again.

        Every hypothesis sees its own place there. With a window, it no longer sees what is further back than that.
        """
        size, places = self.bias.shape[1:]
        own = self.bias.new_full((size, size), -torch.inf).fill_diagonal_(0.0)
        now: int | Tensor
        used: Tensor | None
        if self.bias.is_cuda:
            now = self.position[:1] * size + torch.arange(size, device=self.bias.device)
            bias, end, used = self.bias, places, (self.position + 1) * size
            bias.index_copy_(2, now, own.expand(len(bias), -1, -1))
        else:
            now = int(self.position[0]) * size
            bias, end, used = self.bias, now + size, None
            bias.narrow(2, now, size).copy_(own)
        if window is not None:
            distance = self.position.unsqueeze(1) - torch.arange(places, device=bias.device) // size
            bias = bias.masked_fill((distance > window).unsqueeze(1), -torch.inf)
        return Ancestors(bias, self.position + 1), CacheStep(bias.narrow(2, 0, end), now, used)


def allocate(written: KeysValues, size: int, capacity: int) -> KeysValues:
    """Places for `capacity` positions of `size` hypotheses of each sentence, where nothing is written yet."""
    return KeysValues(*(_places(tensor, capacity * size) for tensor in (written.keys, written.values)))


def _places(tensor: Float[Tensor, "batch heads key each"], count: int) -> Float[Tensor, "batch heads places each"]:
    batch, heads, _, each = tensor.shape
    if tensor.is_cuda:
        # A GPU may read places that are not written yet, if only to multiply them by zero.
        return tensor.new_zeros(batch, heads, count, each)
    # One place after another: for what is never written, the system never has to give any memory.
    return tensor.new_empty(batch, count, heads, each).transpose(1, 2)


def keep_written(written: KeysValues, sentences: Int[Tensor, " kept"], size: int, ancestors: Ancestors) -> KeysValues:
    """The cache of these sentences alone; do not use the old one again.

    On a CPU they are moved to its beginning, and only as far as it was written: most of it is still free.
    """
    if written.keys.is_cuda:
        return written.select(sentences)
    used = int(ancestors.position[0]) * size
    return KeysValues(_moved(written.keys, sentences, used), _moved(written.values, sentences, used))


def _moved(
    places: Float[Tensor, "batch heads places each"], sentences: Int[Tensor, " kept"], used: int
) -> Float[Tensor, "kept heads places each"]:
    written = places.narrow(2, 0, used).index_select(0, sentences)
    places = places.narrow(0, 0, len(sentences))
    places.narrow(2, 0, used).copy_(written)
    return places


def padding_bias(mask: Bool[Tensor, "sentences places"], like: Tensor) -> Float[Tensor, "sentences 1 places"] | None:
    """The bias of a source, of which every hypothesis sees all tokens; None where there is no padding to hide.

    To know that there is none, a GPU would have to be waited for.
    """
    if not mask.is_cuda and bool(mask.all()):
        return None
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill(~mask, -torch.inf).unsqueeze(1)
