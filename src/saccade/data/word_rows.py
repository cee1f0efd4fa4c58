"""Texts as numbers of their words: what is done to a text word by word is then done to each different word once.

White space is whatever `str.split` cuts at. Words are as they stand, not normalised.
"""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import numpy as np
from jaxtyping import Int64
from numpy.typing import NDArray

from saccade.data.ragged import Ragged, bounds


@dataclass(frozen=True)
class WordRows:
    """The different words of some texts, in the order they first occur, and the numbers of those of each text."""

    words: list[str]
    numbers: Ragged

    @classmethod
    def of(cls, texts: Iterable[str]) -> "WordRows":
        """The words of these texts."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        lengths: list[int] = []

        def lines() -> Iterator[list[str]]:
            # One text at a time: its words are looked up while they are still in the processor's cache.
            for text in texts:
                words = text.split()
                lengths.append(len(words))
                yield words

        found = np.fromiter(map(numbers.__getitem__, chain.from_iterable(lines())), np.uint32)
        return cls(list(numbers), Ragged(found, bounds(np.array(lengths, np.int64))))

    def to_bytes(self) -> bytes:
        """As `read` reads them; words have no line ends."""
        file = io.BytesIO()
        smallest = np.uint16 if len(self.words) <= 1 << 16 else np.uint32
        text = "\n".join(self.words).encode("utf-8", "surrogatepass")
        write_array(file, self.numbers.ids.astype(smallest))
        write_array(file, self.numbers.lengths.astype(np.uint32))
        write_array(file, np.frombuffer(text, np.uint8))
        return file.getvalue()

    @classmethod
    def read(cls, file: io.BufferedIOBase) -> "WordRows":
        """What `to_bytes` gave."""
        numbers, lengths, text = (read_array(file) for _ in range(3))
        words = text.tobytes().decode("utf-8", "surrogatepass").split("\n") if len(text) else []
        return cls(words, Ragged(numbers.astype(np.uint32), bounds(lengths.astype(np.int64))))


class WordCounts:
    """How often each word occurs in texts that come as rows of their words, of which others are forgotten."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._times = np.zeros(0, np.int64)

    def add(self, rows: WordRows, texts: Int64[np.ndarray, " texts"]) -> None:
        """Counts the words of these of the texts."""
        times = np.bincount(rows.numbers.take(texts).ids, minlength=len(rows.words))
        occurring = np.flatnonzero(times)
        words = map(rows.words.__getitem__, occurring.tolist())
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(occurring))
        self._times = np.concatenate([self._times, np.zeros(len(self._numbers) - len(self._times), np.int64)])
        self._times[numbers] += times[occurring]  # the words of rows are all different

    def counted(self) -> Iterator[tuple[str, int]]:
        """Each word that occurs, and how often."""
        return zip(self._numbers, self._times.tolist(), strict=True)


def write_array(file: io.BufferedIOBase, values: NDArray[Any]) -> None:
    """Appends an array, in NumPy's own format."""
    np.lib.format.write_array(file, values, allow_pickle=False)


def read_array(file: io.BufferedIOBase) -> NDArray[Any]:
    """The next array of a file."""
    result: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return result
