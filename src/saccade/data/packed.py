"""Batches without padding: sentences of any length one after another, and every batch of the same shape.

With a single shape, a GPU can capture a step into a CUDA graph once and replay it. Since nothing is padded, pairs need
not be sorted by length either, so each batch is a fair sample of the corpus.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from saccade.data.batches import Batches, Indices, Layout, Padding, lengths_of
from saccade.data.token_store import TokenStore
from saccade.sequences import Packed, Packing, Pairs, Sequences
from saccade.special_tokens import EOS, PAD

# Packed attention on a CPU keeps its weights for the backward pass. For sentences longer than this they take more
# memory than the padding that packing saves.
_LONGEST_PACKED = 256


class PackedBatches(Batches):
    """Training batches of exactly `tokens` slots a side, as full as pairs in random order make them.

    `sentences` is the most that a batch may hold: the most of any batch of one epoch, and a little more.
    """

    layout: ClassVar[Layout] = "packed"

    def __init__(self, stores: Sequence[TokenStore], tokens: int, seed: int) -> None:
        super().__init__(stores, tokens, seed)
        self.sentences = max(self._usual(which) for which in range(len(self.stores)))

    def collate(self, store: TokenStore, rows: Indices) -> Pairs:
        """These pairs as one row a side; the longest come first, as they take longest to work on."""
        source, target = lengths_of(store)
        rows = rows[np.argsort(-(source[rows] + target[rows]), kind="stable")]
        return Pairs(
            self._row(store.source_ids, store.source_offsets, rows),
            self._row(store.target_ids, store.target_offsets, rows),
        )

    def _cut_epoch(self, which: int, generator: np.random.Generator) -> list[Indices]:
        source, target = lengths_of(self.stores[which])
        line = generator.permutation(len(source))
        return _filled(line, source, target, self.tokens, self.sentences)

    def _usual(self, which: int) -> int:
        source, target = lengths_of(self.stores[which])
        line = np.random.Generator(np.random.PCG64(self.seed)).permutation(len(source))
        most = max(len(batch) for batch in _filled(line, source, target, self.tokens, len(line)))
        return -(-(most + most // 16) // 32) * 32

    def _row(self, ids: NDArray[np.unsignedinteger], starts: NDArray[np.int64], rows: Indices) -> Packed:
        begins = np.asarray(starts[rows])
        lengths = np.asarray(starts[rows + 1]) - begins + 1  # with EOS
        offsets = np.zeros(self.sentences + 1, np.int64)
        offsets[1 : len(rows) + 1] = np.cumsum(lengths)
        total = int(offsets[len(rows)])
        offsets[len(rows) + 1 :] = total
        sentence = np.full(self.tokens, -1, np.int64)
        sentence[:total] = np.repeat(np.arange(len(rows)), lengths)
        own = sentence[:total]
        positions = np.zeros(self.tokens, np.int64)
        positions[:total] = np.arange(total) - offsets[own]
        tokens = np.full(self.tokens, PAD, np.int64)
        ends = np.zeros(total, np.bool_)
        ends[offsets[1 : len(rows) + 1] - 1] = True
        places = begins[own] + positions[:total]
        tokens[:total][~ends] = ids[places[~ends]]
        tokens[:total][ends] = EOS
        return Packed(
            torch.from_numpy(tokens).unsqueeze(0),
            torch.from_numpy(positions).unsqueeze(0),
            Packing(torch.from_numpy(offsets), torch.from_numpy(sentence).unsqueeze(0)),
        )

    @property
    def padding_by_side(self) -> Padding:
        """How many of the first epoch's slots stay empty, as a share."""
        slots = len(self.plan(0)) * self.tokens
        source, target = lengths_of(self.stores[0])
        return Padding(1 - float(source.sum()) / slots, 1 - float(target.sum()) / slots)


def _filled(line: Indices, source: Indices, target: Indices, tokens: int, sentences: int) -> list[Indices]:
    """Cuts a line of pairs into the longest runs that fit on both sides."""
    sums = [np.concatenate([[0], np.cumsum(lengths[line])]) for lengths in (source, target)]
    batches: list[Indices] = []
    start = 0
    while start < len(line):
        ends = [int(np.searchsorted(total, total[start] + tokens, side="right")) - 1 for total in sums]
        end = min(*ends, start + sentences)
        batches.append(line[start:end])
        start = end
    return batches


def without_padding(pairs: Pairs, multiple: int = 1) -> Pairs:
    """The same pairs with each padded side packed into a multiple of so many slots; long sentences stay padded."""
    source, target = pairs.source, pairs.target
    if not isinstance(source, Sequences) or not isinstance(target, Sequences):
        return pairs
    if max(source.tokens.shape[1], target.tokens.shape[1]) > _LONGEST_PACKED:
        return pairs
    return replace(pairs, source=pack(source, multiple), target=pack(target, multiple))


def pack(sequences: Sequences, multiple: int = 1) -> Packed:
    """The real tokens of padded rows in one row; empty slots at its end fill it up to a multiple of `multiple`."""
    real = sequences.mask
    sentence, position = real.nonzero().unbind(1)
    offsets = functional.pad(sequences.lengths.cumsum(0), (1, 0))
    empty = -len(sentence) % multiple
    packing = Packing(offsets, _filled_up(sentence, empty, -1))
    return Packed(_filled_up(sequences.tokens[real], empty, PAD), _filled_up(position, empty, 0), packing)


def _filled_up(slots: Int[Tensor, " tokens"], empty: int, value: int) -> Int[Tensor, "1 slots"]:
    return functional.pad(slots, (0, empty), value=value).unsqueeze(0)
