"""Whether a token store holds what was written: checksums, offsets that rise, ids that the vocabulary has.

A checksum of a gigabyte takes about a second, as long as much else that happens before the first step. So the ids of a
large store are verified by a thread while batches are planned, which needs the offsets alone, and whoever first asks
for ids waits for it. Every later epoch verifies the store again while it is read.
"""

import zlib
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import FormatError

REBUILD = "Remove the folder of prepared data that it is in, and all of it is made again."
_BLOCK = 1 << 20
"""Numbers looked at together: few enough to stay in a processor's cache between the two looks."""
_AT_ONCE = 1 << 24
"""Bytes of ids that are verified before opening ends: about 15 milliseconds."""


@dataclass(frozen=True)
class IdsFile:
    """A file of ids, mapped into memory, and what must be true of it; an unknown vocabulary is None."""

    path: Path
    ids: NDArray[Any]
    crc32: int
    vocabulary: int | None


class IdsVerification:
    """Verifies the ids of a store, small ones at once, others in the background."""

    def __init__(self, files: tuple[IdsFile, ...]) -> None:
        self._files = files
        self._problem: str | None = None
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, name="verify ids", daemon=True)
        self._thread.start()
        self._first = True
        if sum(file.ids.nbytes for file in files) <= _AT_ONCE:
            self.check()

    def check(self) -> None:
        """Refuses a damaged store: the first time when all was looked at, later as soon as something was found."""
        if self._first:
            self._thread.join()
            self._first = False
        if self._problem is not None:
            raise FormatError(f"{self._problem} {REBUILD}")
        if self._failure is not None:
            raise self._failure

    def again(self) -> None:
        """Looks once more, in the background, unless it is still looking."""
        if not self._thread.is_alive():
            self._thread = Thread(target=self._run, name="verify ids", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            self._verify()
        except Exception as failure:  # it belongs to whoever asks for ids: what was not looked at is not sound
            self._failure = failure

    def _verify(self) -> None:
        for file in self._files:
            checksum, largest = 0, 0
            for start in range(0, len(file.ids), _BLOCK):
                block = np.ascontiguousarray(file.ids[start : start + _BLOCK])
                checksum = zlib.crc32(block.data, checksum)
                largest = max(largest, int(block.max()))
            if checksum != file.crc32:
                self._problem = f"`{file.path}` is damaged or altered: its checksum differs."
            elif file.vocabulary is not None and largest >= file.vocabulary:
                self._problem = (
                    f"`{file.path}` must hold ids below {file.vocabulary}, the size of the vocabulary, but holds "
                    f"{largest}."
                )


def check_offsets(path: Path, offsets: NDArray[np.int64], crc32: int, tokens: int) -> None:
    """Refuses offsets that are not those that were written, or that do not rise from 0 to the number of tokens."""
    if zlib.crc32(np.ascontiguousarray(offsets).data) != crc32:
        raise FormatError(f"`{path}` is damaged or altered: its checksum differs. {REBUILD}")
    if offsets[0] != 0 or offsets[-1] != tokens or bool((offsets[1:] < offsets[:-1]).any()):
        raise FormatError(f"`{path}` must rise from 0 to {tokens}, but does not. {REBUILD}")
