"""A batch that does not fit into memory is taken in halves, and the run goes on.

A step adds up gradients of sums over tokens, so it does not matter how its sentences are divided: halves give the
same step, up to rounding and to what dropout draws. A pass that failed on the way back has left gradients of some
parameters and not of others, so the step is then taken again from the beginning.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.errors import RunError
from saccade.sequences import Packed, Packing, Pairs, Sequences

Begin = Callable[[int], None]
"""Makes ready for the micro-batch with that number; for number 0, empties the gradients."""
Take = Callable[[int, Pairs], Tensor]
"""Forward and backward for a piece of the micro-batch with that number, which gives the piece's sums."""


@dataclass(frozen=True)
class Split:
    """What did not fit: the most sentences of a batch that was halved, and how many halvings there were."""

    sentences: int = 0
    halvings: int = 0


@dataclass
class Room:
    """What this process knows about its memory: the largest batch that fitted, the last that did not.

    A batch is measured by the positions it has on each side, padding included.
    """

    fitted: tuple[int, int] = (0, 0)
    refused: tuple[int, int] | None = None

    def suffices(self, micro_batches: Sequence[Pairs]) -> bool:
        """Whether batches as large as these have fitted before."""
        return all(_within(_size(pairs), self.fitted) and not self._refuses(pairs) for pairs in micro_batches)

    def take_fitting(self, micro_batches: Sequence[Pairs], begin: Begin, take: Take) -> tuple[Tensor, Split]:
        """The sums over all micro-batches, halving those that do not fit."""
        split = Split()
        pieces: list[tuple[int, Pairs]] = []
        for number, pairs in enumerate(micro_batches):
            parts = self._parts(pairs)
            if len(parts) > 1:
                split = Split(max(split.sentences, sentences(pairs)), split.halvings + len(parts) - 1)
            pieces += [(number, part) for part in parts]
        while True:
            sums: list[Tensor] = []
            begun = -1
            for number, part in pieces:
                if number > begun:
                    begin(number)
                    begun = number
                taken = _unless_memory_ends(take, number, part)
                if taken is None:
                    break
                sums.append(taken)
                self.fitted = (max(self.fitted[0], _size(part)[0]), max(self.fitted[1], _size(part)[1]))
            else:
                return torch.stack(sums).sum(0), split
            place = len(sums)
            number, part = pieces[place]
            pieces[place : place + 1] = [(number, half) for half in _halves_of_refused(part)]
            self.refused = _size(part)
            split = Split(max(split.sentences, sentences(part)), split.halvings + 1)

    def _refuses(self, pairs: Pairs) -> bool:
        return self.refused is not None and sentences(pairs) > 1 and _within(self.refused, _size(pairs))

    def _parts(self, pairs: Pairs) -> list[Pairs]:
        """The pieces that are worth trying: what was too large before is not tried whole again."""
        if not self._refuses(pairs):
            return [pairs]
        return [part for half in halves(pairs) for part in self._parts(half)]


def take_all(micro_batches: Sequence[Pairs], begin: Begin, take: Take) -> tuple[Tensor, Split]:
    """The sums over all micro-batches, each taken whole: other processes are waiting for what comes of it."""
    sums = []
    for number, pairs in enumerate(micro_batches):
        begin(number)
        taken = _unless_memory_ends(take, number, pairs)
        if taken is None:
            raise RunError(
                f"a batch of {sentences(pairs)} pairs must fit into memory here, but does not. "
                "Lower `training.batch_tokens` and raise `training.accumulate`, or set training.recompute=layers."
            )
        sums.append(taken)
    return torch.stack(sums).sum(0), Split()


def halves(pairs: Pairs) -> tuple[Pairs, Pairs]:
    """The first and the second half of the sentences, each no longer than it must be."""
    count = sentences(pairs)
    assert count > 1
    first, second = (
        Pairs(_between(pairs.source, start, end), _between(pairs.target, start, end))
        for start, end in ((0, count // 2), (count // 2, count))
    )
    return first, second


def sentences(pairs: Pairs) -> int:
    """How many pairs of sentences there are."""
    if isinstance(pairs.target, Sequences):
        return len(pairs.target)
    return int((pairs.target.packing.offsets.diff() > 0).sum())


def _between(side: Sequences | Packed, start: int, end: int) -> Sequences | Packed:
    if isinstance(side, Sequences):
        lengths = side.lengths[start:end]
        return Sequences(side.tokens[start:end, : int(lengths.max())], lengths)
    offsets = side.packing.offsets
    begin, stop = int(offsets[start]), int(offsets[end])
    own = offsets[start : end + 1] - begin
    unused = own[-1:].expand(len(offsets) - len(own))
    packing = Packing(torch.cat([own, unused]), side.packing.sentence[:, begin:stop] - start)
    return Packed(side.tokens[:, begin:stop], side.positions[:, begin:stop], packing)


def _halves_of_refused(pairs: Pairs) -> tuple[Pairs, Pairs]:
    if sentences(pairs) == 1:
        source, target = _size(pairs)
        raise RunError(
            f"one pair of {source} and {target} tokens must fit into memory, but does not. "
            "Lower `data.maximum_length`, set training.recompute=layers, or take a smaller model."
        )
    return halves(pairs)


def _unless_memory_ends(take: Take, number: int, pairs: Pairs) -> Tensor | None:
    """What `take` gives; None when memory ran out. The error is let go first: it holds on to what filled memory."""
    try:
        return take(number, pairs)
    except torch.OutOfMemoryError:
        pass
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def _size(pairs: Pairs) -> tuple[int, int]:
    return pairs.source.tokens.numel(), pairs.target.tokens.numel()


def _within(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1]
