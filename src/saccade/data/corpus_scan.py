"""The first pass over a corpus: how much there is, a sample to learn pieces from, and which pairs are held out.

Held-out pairs are chosen by a hash of the source text: the sources with the smallest hashes, with all of their pairs.
So no validation source occurs in training, however often the corpus repeats it, and the choice is the same whatever
the order of the lines. Of text alone, which has no sources, the lines themselves are told apart.
"""

import heapq
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from saccade.data.normalisation import normalise
from saccade.data.reservoir import reservoir

HELD_OUT_SHARE = 20  # one in so many distinct sources at most


@dataclass(frozen=True)
class HeldOut:
    """The sources whose hash is at most `threshold`; below zero, none."""

    threshold: int = -1

    def __contains__(self, source: object) -> bool:
        assert isinstance(source, str)
        return self.threshold >= 0 and source_hash(source) <= self.threshold


@dataclass(frozen=True)
class CorpusScan:
    """What one reading of a corpus tells; `sample` has no held-out pair."""

    pairs: int
    sample: list[tuple[str, str]]
    held_out: HeldOut


def scan_corpus(
    pairs: Iterable[tuple[str, str]], *, sample_pairs: int, held_out_sources: int, seed: int, side: int = 0
) -> CorpusScan:
    """Reads all pairs once, in memory bounded by the sample; `side` is the one by which they are held out.

    At most `held_out_sources` sources are held out, and of a small corpus at most a twentieth, but at least one if any.
    """
    # So many hashes as it takes to know whether a twentieth of the sources is more than is asked for.
    smallest = _Smallest(HELD_OUT_SHARE * held_out_sources)
    sample = reservoir(_watched(pairs, side, smallest), sample_pairs, random.Random(seed))
    held_out = HeldOut(smallest.threshold())
    return CorpusScan(smallest.seen, [pair for pair in sample if pair[side] not in held_out], held_out)


def source_hash(source: str) -> int:
    """64 bits that depend on the normalised text alone."""
    return int.from_bytes(blake2b(normalise(source).encode(), digest_size=8).digest())


def _watched(pairs: Iterable[tuple[str, str]], side: int, smallest: "_Smallest") -> Iterator[tuple[str, str]]:
    for pair in pairs:
        smallest.see(pair[side])
        yield pair


class _Smallest:
    """The smallest distinct hashes of all sources seen so far, as a heap with the largest of them on top."""

    def __init__(self, size: int) -> None:
        self.seen = 0
        self._size = size
        self._heap: list[int] = []
        self._members: set[int] = set()

    def see(self, source: str) -> None:
        self.seen += 1
        if not self._size:
            return
        value = source_hash(source)
        if value in self._members or (len(self._heap) == self._size and value > -self._heap[0]):
            return
        self._members.add(value)
        heapq.heappush(self._heap, -value)
        if len(self._heap) > self._size:
            self._members.remove(-heapq.heappop(self._heap))

    def threshold(self) -> int:
        """The hash that a twentieth of these do not exceed, but at least one; below zero where there are none."""
        ordered = sorted(self._members)
        return ordered[max(len(ordered) // HELD_OUT_SHARE, 1) - 1] if ordered else -1
