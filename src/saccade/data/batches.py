"""Which pairs go together, in which order: a pure function of (seed, epoch), so that a run continues where it stopped.

A batch is a rectangle on each side, rows x longest, and what is not token is padding. Sorting by target length alone
leaves the source side ragged, so pairs are laid out in two dimensions: strips of similar longer side, and along a
strip by the shorter side, from little source under much target over equal lengths to little target under much source.
Every other strip runs backwards, so that neighbours in the line are neighbours in both lengths. Batches are cut from
that line as large as the token budget allows and then shuffled. The number of strips is the one that pads least,
found by measuring. Ties are broken at random and the first cut falls at random, so the company of a pair changes from
epoch to epoch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.data.token_store import TokenStore
from saccade.errors import ConfigError
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS, PAD

Indices = NDArray[np.int64]
Layout = Literal["padded", "bucketed", "packed"]
"""Rows as long as the longest of their batch; rows of few shapes; or all sentences in a single row."""


@dataclass(frozen=True, order=True)
class Position:
    """The next micro-batch to read: the `index`-th of epoch `epoch`, counted over all ranks."""

    epoch: int = 0
    index: int = 0


@dataclass(frozen=True)
class Padding:
    """The share of padding in all positions of an epoch, on each side."""

    source: float
    target: float


class Batches:
    """Training batches of at most `tokens` positions a side, EOS and padding included, without end.

    Several stores are differently cut copies of one corpus: epoch e reads the (e mod n)-th.
    """

    layout: ClassVar[Layout] = "padded"

    def __init__(self, stores: Sequence[TokenStore], tokens: int, seed: int) -> None:
        assert stores
        self.stores = tuple(stores)
        self.tokens = tokens
        self.seed = seed
        self._strips: dict[int, int] = {}
        self._plans: dict[int, list[Indices]] = {}
        self._planning = Lock()
        for store in self.stores:
            if not len(store):
                raise ConfigError(f"`{store.folder}` must hold at least one pair, but is empty. Give more text.")
            longest = int(max(store.source_lengths.max(), store.target_lengths.max())) + 1
            if longest > tokens:
                raise ConfigError(
                    f"`batch_tokens` must be at least {longest}, the longest sequence with its EOS, but is {tokens}. "
                    "Raise it, or lower `maximum_length`."
                )

    def plan(self, epoch: int) -> list[Indices]:
        """The pairs of each batch of this epoch, in order; every pair is in exactly one."""
        # Batches are made in one thread while another asks where they stand.
        with self._planning:
            if epoch not in self._plans:
                generator = np.random.Generator(np.random.PCG64([self.seed, epoch]))
                batches = self._cut_epoch(epoch % len(self.stores), generator)
                order = generator.permutation(len(batches))
                # Two epochs at most are in memory: the one being read and the one that follows it.
                self._plans = dict(list(self._plans.items())[-1:])
                self._plans[epoch] = [batches[place] for place in order]
            return self._plans[epoch]

    def collate(self, store: TokenStore, rows: Indices) -> Pairs:
        """These pairs as padded matrices."""
        return collate(store, rows)

    def _cut_epoch(self, which: int, generator: np.random.Generator) -> list[Indices]:
        """All pairs of a store in batches, in an order that is shuffled afterwards."""
        source, target = lengths_of(self.stores[which])
        return cut_into_batches(source, target, self.tokens, self._strips_of(which, source, target), generator)

    def _strips_of(self, which: int, source: Indices, target: Indices) -> int:
        """How many strips pad least where a store's sequences have these lengths."""
        if which not in self._strips:
            self._strips[which] = _best_strips(source, target, self.tokens)
        return self._strips[which]

    def stream(self, position: Position, rank: int = 0, world: int = 1) -> Iterator[Pairs]:
        """The batches of one rank, from `position` on: the one at `position` + rank, then every `world`-th."""
        assert 0 <= rank < world
        first = position.epoch
        position = self.advance(position, rank)
        while True:
            store = self.stores[position.epoch % len(self.stores)]
            if position.epoch > first:  # the first is verified when the store is opened
                store.verify_again()
                first = position.epoch
            yield self.collate(store, self.plan(position.epoch)[position.index])
            position = self.advance(position, world)

    def advance(self, position: Position, count: int) -> Position:
        """The position `count` batches later."""
        epoch, index = position.epoch, position.index + count
        while index >= len(self.plan(epoch)):
            index -= len(self.plan(epoch))
            epoch += 1
        return Position(epoch, index)

    @cached_property
    def padding_by_side(self) -> Padding:
        """How much of the first epoch's matrices is padding."""
        source, target = lengths_of(self.stores[0])
        plan = self.plan(0)
        return Padding(_padding(source, plan), _padding(target, plan))

    @property
    def padding(self) -> float:
        """The mean of both sides' share of padding."""
        return (self.padding_by_side.source + self.padding_by_side.target) / 2


def evaluation_batches(store: TokenStore, tokens: int) -> Iterator[tuple[Indices, Pairs]]:
    """Every pair once, longest first, with the indices to put results back in order.

    A pair longer than the budget is a batch by itself: an evaluation leaves nothing out.
    """
    source, target = lengths_of(store)
    order = np.lexsort((source, target))[::-1].astype(np.int64)
    for batch in _cut(order, source, target, tokens, tokens):
        yield batch, collate(store, batch)


def collate(store: TokenStore, rows: Indices) -> Pairs:
    """These pairs as padded matrices, each sequence ended by EOS."""
    return Pairs(
        _padded(store.source_ids, store.source_offsets, rows),
        _padded(store.target_ids, store.target_offsets, rows),
    )


def _padded(ids: NDArray[np.unsignedinteger], offsets: NDArray[np.int64], rows: Indices) -> Sequences:
    starts = np.asarray(offsets[rows])
    lengths = np.asarray(offsets[rows + 1]) - starts
    columns = np.arange(int(lengths.max(initial=0)) + 1)
    real = columns < lengths[:, None]
    tokens = np.full(real.shape, PAD, np.int64)
    tokens[real] = ids[(starts[:, None] + columns)[real]]
    tokens[np.arange(len(rows)), lengths] = EOS
    return Sequences(torch.from_numpy(tokens), torch.from_numpy(lengths + 1))


def lengths_of(store: TokenStore) -> tuple[Indices, Indices]:
    """How many tokens each source and each target has."""
    return store.source_lengths + 1, store.target_lengths + 1  # with EOS


def _best_strips(source: Indices, target: Indices, tokens: int) -> int:
    """Few strips are wide, many are short: tries a few numbers and keeps the one that pads least."""
    distinct = len(np.unique(np.maximum(source, target)))
    candidates = sorted({max(1, distinct // part) for part in (1, 2, 4, 8)})

    def padded(strips: int) -> float:
        plan = cut_into_batches(source, target, tokens, strips, np.random.Generator(np.random.PCG64(0)))
        return _padding(source, plan) + _padding(target, plan)

    return min(candidates, key=padded)


def cut_into_batches(
    source: Indices, target: Indices, tokens: int, strips: int, generator: np.random.Generator
) -> list[Indices]:
    """Batches along the snake through the plane of both lengths."""
    longer = np.maximum(source, target)
    # Strips of about equal shares of the tokens; one length is never divided between two of them.
    weight = np.bincount(longer, weights=source + target)
    middle = np.cumsum(weight) - weight / 2
    strip = np.minimum(middle / weight.sum() * strips, strips - 1).astype(np.int64)[longer]
    end = int(longer.max())
    along = np.where(source > target, end - target, source - end)
    along = np.where(strip % 2, -along, along)
    shuffled = generator.permutation(len(target))
    line = shuffled[np.lexsort((along[shuffled], strip[shuffled]))]
    least = min(int(longer.max()), tokens)  # lengths that are rounded up may be longer than a batch
    return _cut(line, source, target, tokens, int(generator.integers(least, tokens, endpoint=True)))


def _cut(line: Indices, source: Indices, target: Indices, tokens: int, first: int) -> list[Indices]:
    """Cuts a line of pairs into the longest runs whose rectangles fit; the first within its own budget."""
    longer = np.maximum(source, target)[line]
    batches: list[Indices] = []
    start, budget = 0, first
    while start < len(line):
        # Half as many rows as the budget has room for at this length nearly always show where the run ends.
        window = 2 * budget // int(longer[start]) + 8
        while True:
            longest = np.maximum.accumulate(longer[start : start + window])
            over = longest * np.arange(1, len(longest) + 1) > budget
            if over.any() or start + window >= len(line):
                break
            window *= 2
        rows = int(over.argmax()) if over.any() else len(longest)
        batches.append(line[start : start + max(1, rows)])
        start, budget = start + max(1, rows), tokens
    return batches


def _padding(lengths: Indices, plan: list[Indices]) -> float:
    positions = sum(len(rows) * int(lengths[rows].max()) for rows in plan)
    return 1 - float(lengths.sum()) / positions
