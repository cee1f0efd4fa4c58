"""The words of a corpus, kept in a file from the first pass for the second, which then reads no text.

Where pieces are learned from words and words are cut one by one, a corpus is no more than its words by number: what
decompressing, reading and splitting it takes is spent once. The file is about as large as the token store that is made
of it, and is written and read chunk by chunk, so that memory does not depend on the size of the corpus.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64

from saccade.data.corpus_report import CorpusReport
from saccade.data.reservoir import reservoir
from saccade.data.word_rows import WordCounts, WordRows, read_array, write_array


@dataclass(frozen=True)
class ChunkOfWords:
    """Both sides of some pairs, the numbers of their lines, and what was counted while they were read."""

    lines: Int64[np.ndarray, " pairs"]
    sides: tuple[WordRows, WordRows]
    read: CorpusReport


class CorpusWords:
    """Chunks of words in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: list[CorpusReport] = []  # of each chunk
        self.pairs = 0

    def write(self, chunks: Iterable[tuple[list[int], bytes, CorpusReport]]) -> None:
        """Keeps chunks: the numbers of their lines, both sides as `words_of_pairs` gives them, and what was counted."""
        with self._path.open("wb") as file:
            for lines, sides, read in chunks:
                write_array(file, np.array(lines, np.int64))
                file.write(sides)
                self._read.append(read)
                self.pairs += len(lines)

    def __iter__(self) -> Iterator[ChunkOfWords]:
        with self._path.open("rb") as file:
            for read in self._read:
                yield ChunkOfWords(read_array(file), (WordRows.read(file), WordRows.read(file)), read)

    def counts(
        self, sample_pairs: int, seed: int, *, joint: bool, held_out: Sequence[int] = ()
    ) -> tuple[WordCounts, WordCounts]:
        """How often each word occurs on each side of a sample of so many pairs, the one that `scan_corpus` draws.

        It draws from all pairs, and leaves out those that are `held_out`, which are not here: their lines, in order.
        Where sides are `joint`, both are counted together.
        """
        pairs = self.pairs + len(held_out)
        sample = np.sort(np.array(reservoir(range(pairs), sample_pairs, random.Random(seed)), np.int64))
        others = np.array(held_out, np.int64)
        sources = WordCounts()
        counts = sources, sources if joint else WordCounts()
        before = 0
        for chunk in self:
            among, others = np.split(others, [np.searchsorted(others, chunk.lines[-1])])
            lines = np.sort(np.concatenate([chunk.lines, among]))
            begin, end = np.searchsorted(sample, (before, before + len(lines)))
            drawn = np.flatnonzero(np.isin(chunk.lines, lines[sample[begin:end] - before]))
            for side, rows in zip(counts, chunk.sides, strict=True):
                side.add(rows, drawn)
            before += len(lines)
        return counts

    def remove(self) -> None:
        """Deletes the file."""
        self._path.unlink()


def words_of_pairs(pairs: list[tuple[int, str, str]]) -> bytes:
    """The words of the sources of numbered pairs, then those of the targets."""
    sources, targets = (source for _, source, _ in pairs), (target for _, _, target in pairs)
    return WordRows.of(sources).to_bytes() + WordRows.of(targets).to_bytes()
