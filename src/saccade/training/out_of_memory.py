"""What happens when a batch does not fit into memory: it is halved.

A step adds up gradients of sums over tokens, so it does not matter how its sentences are divided: halves give the
same step, up to rounding and to what dropout draws. A backward pass that failed has left gradients of some parameters
and not of others, so the step is then taken again from its beginning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from saccade.errors import RunError
from saccade.sequences import Packed, Packing, Pairs, Sequences
from saccade.training.step import Split


@runtime_checkable
class Passes(Protocol):
    """The forward and backward passes of a step."""

    def begin(self, number: int) -> None:
        """Prepares for the micro-batch with that number; number 0 clears the gradients."""

    def run(self, number: int, pairs: Pairs) -> Tensor:
        """Forward and backward for a piece of the micro-batch with that number; returns the sums of its loss."""


@dataclass
class MemoryLimits:
    """What this process knows about its memory: the largest batch that fitted, and the last that did not.

    The size of a batch is its number of positions on each side, padding included.
    """

    fitted: tuple[int, int] = (0, 0)
    refused: tuple[int, int] | None = None

    def allow(self, micro_batches: Sequence[Pairs]) -> bool:
        """Whether batches as large as these have fitted before."""
        return all(_within(_size(pairs), self.fitted) and not self._refuse(pairs) for pairs in micro_batches)

    def run_halving(self, micro_batches: Sequence[Pairs], passes: Passes) -> tuple[Tensor, Split]:
        """The sums over all micro-batches, halving those that do not fit."""
        split = Split()
        pieces: list[tuple[int, Pairs]] = []
        for number, pairs in enumerate(micro_batches):
            parts = self._parts(pairs)
            if len(parts) > 1:
                split = Split(max(split.sentences, sentences(pairs)), split.halvings + len(parts) - 1)
            pieces += [(number, part) for part in parts]
        while True:
            sums = self._run_pieces(pieces, passes)
            if len(sums) == len(pieces):
                return torch.stack(sums).sum(0), split
            failed = len(sums)
            number, part = pieces[failed]
            pieces[failed : failed + 1] = [(number, half) for half in _halves_of_refused(part)]
            self.refused = _size(part)
            split = Split(max(split.sentences, sentences(part)), split.halvings + 1)

    def _run_pieces(self, pieces: Sequence[tuple[int, Pairs]], passes: Passes) -> list[Tensor]:
        """The sums of each piece, up to the first that does not fit."""
        sums: list[Tensor] = []
        begun = -1
        for number, part in pieces:
            if number > begun:
                passes.begin(number)
                begun = number
            result = _run_unless_out_of_memory(passes, number, part)
            if result is None:
                break
            sums.append(result)
            self.fitted = (max(self.fitted[0], _size(part)[0]), max(self.fitted[1], _size(part)[1]))
        return sums

    def _refuse(self, pairs: Pairs) -> bool:
        return self.refused is not None and sentences(pairs) > 1 and _within(self.refused, _size(pairs))

    def _parts(self, pairs: Pairs) -> list[Pairs]:
        """The pieces worth trying: what was too large before is not tried in full again."""
        if not self._refuse(pairs):
            return [pairs]
        return [part for half in halves(pairs) for part in self._parts(half)]


def run_whole(micro_batches: Sequence[Pairs], passes: Passes) -> tuple[Tensor, Split]:
    """The sums over all micro-batches without halving: other processes are already waiting for their gradients."""
    sums = []
    for number, pairs in enumerate(micro_batches):
        passes.begin(number)
        result = _run_unless_out_of_memory(passes, number, pairs)
        if result is None:
            raise RunError(
                f"a batch of {sentences(pairs)} pairs must fit into memory here, but does not. "
                "Lower `training.batch_tokens` and raise `training.accumulate`, or set training.recompute=layers."
            )
        sums.append(result)
    return torch.stack(sums).sum(0), Split()


def halves(pairs: Pairs) -> tuple[Pairs, Pairs]:
    """The first and the second half of the sentences, each padded only as far as its own longest."""
    count = sentences(pairs)
    assert count > 1
    first, second = (
        Pairs(_between(pairs.source, start, end), _between(pairs.target, start, end))
        for start, end in ((0, count // 2), (count // 2, count))
    )
    return first, second


def sentences(pairs: Pairs) -> int:
    """How many pairs of sentences a batch holds."""
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


def _run_unless_out_of_memory(passes: Passes, number: int, pairs: Pairs) -> Tensor | None:
    """The sums of the pass; None when memory ran out."""
    try:
        return passes.run(number, pairs)
    except torch.OutOfMemoryError:
        pass
    # Only after the `except` block is the error gone, and with it the memory that its traceback held.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def _size(pairs: Pairs) -> tuple[int, int]:
    return pairs.source.tokens.numel(), pairs.target.tokens.numel()


def _within(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1]
