"""Which of any number of lines have occurred before: exactly, in bounded memory.

Of each line a hash of 64 bits is kept on disk. To find repetitions, equal hashes must come together; only those whose
remainder is 0, then 1, and so on, are taken into memory and sorted, in as many rounds as keep each below a limit. Two
different lines among a hundred million have the same hash once in 3,700 corpora.
"""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8, UInt64

AT_ONCE = 1 << 22
"""Hashes in memory at a time, in about 150 MB."""


def text_hash(text: str) -> bytes:
    """Eight bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def mark_repeats(
    hashes: Path, marks: UInt8[np.ndarray, " lines"], mark: int, allowed: int = 1, at_once: int = AT_ONCE
) -> None:
    """Marks every line that has occurred `allowed` times before it; lines that have a mark already do not count.

    `hashes` is a file with eight bytes for each line.
    """
    values = np.memmap(hashes, np.uint64, mode="r") if len(marks) else np.zeros(0, np.uint64)
    assert len(values) == len(marks)
    rounds = -(-len(values) // at_once)
    for number in range(rounds):
        places = np.concatenate([*_with_remainder(values, marks, number, rounds, at_once)])
        marks[places[_earlier(values[places]) >= allowed]] = mark


def _with_remainder(
    values: UInt64[np.ndarray, " lines"], marks: UInt8[np.ndarray, " lines"], number: int, rounds: int, block: int
) -> Iterator[Int64[np.ndarray, " found"]]:
    """The places of unmarked lines whose hash belongs to this round."""
    for start in range(0, len(values), block):
        part = slice(start, start + block)
        yield start + np.flatnonzero((values[part] % np.uint64(rounds) == number) & (marks[part] == 0))


def _earlier(values: UInt64[np.ndarray, " found"]) -> Int64[np.ndarray, " found"]:
    """For each value, how many equal ones stand before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(values) else order
    sizes = np.diff(np.append(starts, len(values)))
    earlier = np.empty(len(values), np.int64)
    earlier[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return earlier
