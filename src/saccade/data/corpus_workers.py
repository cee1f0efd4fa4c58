"""Chunks of a corpus encoded by several processes, and given back in their order.

One process reads, several encode, and the one that reads writes what they give back: the result is that of one process,
byte for byte, because a chunk is encoded alike by whoever does it. Few chunks are read ahead of what is written, so
that memory does not depend on the size of a corpus.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from typing import TypeVar

from saccade.data.corpus_encoding import ChunkOfText, EncodedCopy, PairEncoder
from saccade.errors import RunError

AHEAD = 2
"""Chunks read for each process beyond the one that is awaited."""

Read = TypeVar("Read")
_encoders: list[PairEncoder] = []
"""In a worker: what it was given when it began."""


class EncodingProcesses:
    """Processes that encode with the tokenizers of one encoder."""

    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self._most = AHEAD * count

    def in_order(
        self, chunks: Iterable[Read], work: Callable[[Read], ChunkOfText]
    ) -> Iterator[tuple[Read, list[EncodedCopy]]]:
        """Each chunk with its copies, in the order they came."""
        waiting: deque[tuple[Read, Future[list[EncodedCopy]]]] = deque()
        try:
            for chunk in chunks:
                waiting.append((chunk, self._pool.submit(_encode, work(chunk))))
                if len(waiting) > self._most:
                    first, result = waiting.popleft()
                    yield first, result.result()
            while waiting:
                first, result = waiting.popleft()
                yield first, result.result()
        except BrokenProcessPool as problem:
            raise RunError(
                "a process that encodes text ended, perhaps for want of memory. Use fewer of them (--workers)."
            ) from problem


@contextmanager
def encoding_processes(encoder: PairEncoder, count: int) -> Iterator[EncodingProcesses | None]:
    """So many processes; none where one is enough."""
    if count == 1:
        yield None
        return
    # What makes symbols of trees stays here: a worker is given symbols.
    given = replace(encoder, as_symbols=str)
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin, initargs=(given,))
    try:
        yield EncodingProcesses(pool, count)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(encoder: PairEncoder) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that reads, which ends the others
    _encoders.append(encoder)


def _encode(work: ChunkOfText) -> list[EncodedCopy]:
    return _encoders[-1].encode_chunk(work)
