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
from pathlib import Path
from typing import TypeVar

from saccade.cores import usable_cores
from saccade.data.corpus_encoding import ChunkOfText, EncodedCopy, PairEncoder, ReadChunk
from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_words import words_of_pairs
from saccade.errors import RunError

AHEAD = 2
"""Chunks read for each process beyond the one that is awaited."""

_WORTH = 1 << 24
"""Bytes of text that a process should have to encode: it takes a third of a second to start."""
_MOST = 8
"""Processes that are started unasked: one that reads has hardly text for more."""
_COMPRESSED = 4
"""Bytes of text in a byte of a compressed file, or nearly so."""

Read = TypeVar("Read")
Made = TypeVar("Made")
_encoders: list[PairEncoder] = []
"""In a worker: what it was given when it began."""


class EncodingProcesses:
    """Processes that encode with the tokenizers of one encoder."""

    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self._count = count

    def in_order(
        self, chunks: Iterable[Read], work: Callable[[Read], ChunkOfText]
    ) -> Iterator[tuple[Read, list[EncodedCopy]]]:
        """Each chunk with its copies, in the order they came."""
        return _in_order(chunks, lambda chunk: self._pool.submit(_encode, work(chunk)), AHEAD * self._count)


@contextmanager
def encoding_processes(encoder: PairEncoder, count: int) -> Iterator[EncodingProcesses | None]:
    """So many processes; none where one is enough."""
    if count == 1:
        yield None
        return
    # What makes symbols of trees stays here: a worker is given symbols.
    given = replace(encoder, as_symbols=str)
    with _processes(count, given) as pool:
        yield EncodingProcesses(pool, count)


def worthwhile_processes(paths: Iterable[Path], copies: int) -> int:
    """How many to encode the text of these files so often: what it is worth, on the cores this process may use."""
    text = sum(path.stat().st_size * (_COMPRESSED if path.suffix in (".gz", ".xz") else 1) for path in paths)
    return max(min(text * copies // _WORTH, usable_cores(), _MOST), 1)


def words_of_chunks(chunks: Iterable[ReadChunk], processes: int) -> Iterator[tuple[list[int], bytes, CorpusReport]]:
    """What `CorpusWords` keeps of each chunk, made by so many processes, or by this one."""
    done: Iterator[tuple[ReadChunk, bytes]]
    if processes == 1:
        done = ((chunk, words_of_pairs(chunk.lines)) for chunk in chunks)
        yield from map(_kept, done)
        return
    with _processes(processes) as pool:
        done = _in_order(chunks, lambda chunk: pool.submit(words_of_pairs, chunk.lines), AHEAD * processes)
        yield from map(_kept, done)


def _kept(done: tuple[ReadChunk, bytes]) -> tuple[list[int], bytes, CorpusReport]:
    chunk, words = done
    return [line[0] for line in chunk.lines], words, chunk.read


@contextmanager
def _processes(count: int, *given: PairEncoder) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin, initargs=given)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    chunks: Iterable[Read], submit: Callable[[Read], "Future[Made]"], most: int
) -> Iterator[tuple[Read, Made]]:
    """Each chunk with what was made of it, in the order they came; at most so many are waited for."""
    waiting: deque[tuple[Read, Future[Made]]] = deque()
    try:
        for chunk in chunks:
            with _without_ctrl_c():  # this may start a process
                waiting.append((chunk, submit(chunk)))
            if len(waiting) > most:
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
def _without_ctrl_c() -> Iterator[None]:
    """Holds Ctrl-C back for a moment, and in a process that is started meanwhile until `_begin`.

    It is for the process that reads, which ends the others.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(*given: PairEncoder) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _encoders.extend(given)


def _encode(work: ChunkOfText) -> list[EncodedCopy]:
    return _encoders[-1].encode_chunk(work)
