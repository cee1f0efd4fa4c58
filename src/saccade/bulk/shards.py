"""Files cut into shards: ranges of bytes that end at line breaks, found in one pass that holds one block in memory.

A shard ends where a window of lines does. What is read, batched and searched together is then the same as in one
process over the whole file, so that not even rounding can make a difference. Of two aligned files, a shard has the same
lines of both.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from saccade.data.parallel_text import not_aligned
from saccade.data.text_lines import LineRange
from saccade.errors import InputError

BLOCK = 1 << 20
"""Bytes read at once."""
_LINE_END = ord("\n")
_COMPRESSED = (".gz", ".xz")


@dataclass(frozen=True)
class Part:
    """What a shard has of one file: the bytes from `begin` to `end`, and their digest."""

    begin: int
    end: int
    sha256: str


@dataclass(frozen=True)
class Shard:
    """Some lines of the input: the first one's number, how many, the size of their first window, and where they are."""

    number: int
    first: int
    lines: int
    window: int
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """As its files are called."""
        return f"{self.number:07}"

    @property
    def ranges(self) -> tuple[LineRange, ...]:
        """Its lines of each file."""
        return tuple(LineRange(part.begin, part.end, self.first - 1) for part in self.parts)


def cut(paths: Sequence[Path], windows: Iterator[int], shard_lines: int) -> Iterator[Shard]:
    """Shards of at least so many lines, each as many whole windows; the last has what is left."""
    with ExitStack() as stack:
        files = [_Lines(stack.enter_context(path.open("rb"))) for path in paths]
        first, number = 1, 0
        while True:
            window, lines = next(windows), 0
            size, whole = window, True
            while whole:
                found = [file.take(size) for file in files]
                lines += min(found)
                if len(set(found)) > 1:
                    counts = [first - 1 + file.count for file in files]
                    for place, file in enumerate(files):
                        while more := file.take(BLOCK):
                            counts[place] += more
                    raise not_aligned(paths[0], paths[1], *counts)
                whole = found[0] == size
                if lines >= shard_lines:
                    break
                size = next(windows)
            parts = tuple(file.part() for file in files)
            if lines:
                yield Shard(number, first, lines, window, parts)
            if not whole:
                return
            first, number = first + lines, number + 1


def check_unchanged(shard: Shard, paths: Sequence[Path]) -> None:
    """Refuses lines that are not those that were there when the work was begun."""
    for path, part in zip(paths, shard.parts, strict=True):
        digest = hashlib.sha256()
        with path.open("rb") as file:
            file.seek(part.begin)
            left = part.end - part.begin
            while left and (block := file.read(min(BLOCK, left))):
                digest.update(block)
                left -= len(block)
        if digest.hexdigest() != part.sha256:
            last = shard.first + shard.lines - 1
            raise InputError(
                f"`{path}` must stay as it was when the work was begun, but lines {shard.first:,} to {last:,} have "
                "changed. Bring it back, or choose another output."
            )


def check_inputs(paths: Sequence[Path]) -> None:
    """Refuses what has no ranges of bytes that can be read on their own."""
    for path in paths:
        try:
            usable = path.is_file()
        except (OSError, ValueError):
            usable = False
        if not usable:
            raise InputError(f"`{path}` must be a file that can be read in parts, but is none. Check the path.")
        if path.suffix in _COMPRESSED:
            raise InputError(
                f"`{path}` must be uncompressed: parts of a {path.suffix} file cannot be read on their own. "
                "Decompress it first."
            )


class _Lines:
    """A file that is read in so many lines at a time; `count` of them since the last part began."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._block = b""
        self._ends = np.empty(0, np.int64)
        self._at = self._end = 0
        self._begin_part(0)

    def _begin_part(self, begin: int) -> None:
        self._begin, self._position = begin, begin
        self._digest = hashlib.sha256()
        self.count = 0

    def part(self) -> Part:
        """What was taken since the last one."""
        part = Part(self._begin, self._position, self._digest.hexdigest())
        self._begin_part(self._position)
        return part

    def take(self, count: int) -> int:
        """Passes over so many lines, or as many as there are; the number of them."""
        taken, open_line = 0, False
        while taken < count:
            if self._at == len(self._block) and not self._read():
                taken += open_line  # the last line of a file may have no end
                break
            ends = len(self._ends) - self._end
            if ends >= count - taken:
                self._end += count - taken
                self._pass(int(self._ends[self._end - 1]) + 1)
                taken = count
            else:
                self._end += ends
                self._pass(len(self._block))
                taken += ends
                open_line = not self._block.endswith(b"\n")
        self.count += taken
        return taken

    def _read(self) -> bool:
        self._block = self._file.read(BLOCK)
        self._ends = np.flatnonzero(np.frombuffer(self._block, np.uint8) == _LINE_END)
        self._at = self._end = 0
        return bool(self._block)

    def _pass(self, to: int) -> None:
        self._digest.update(memoryview(self._block)[self._at : to])
        self._position += to - self._at
        self._at = to
