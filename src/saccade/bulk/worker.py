"""A worker: takes a shard that nobody has, does it, writes it down, and takes the next.

Who has a shard holds a lock that the system gives back when the process ends, however it ends. Output gets its name
only when all of it is on disk, and its record after that: a kill at any moment costs the shard that was being done, and
nothing else. The record is looked for once the lock is held, so no shard is done twice.
"""

import hashlib
import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from saccade.bulk.folder import BulkFolder, Manifest, Written
from saccade.bulk.shards import Shard, check_unchanged
from saccade.bulk.work import LoadedWork, Say, Watch, Work
from saccade.errors import RunError
from saccade.file_lock import lock
from saccade.folders import not_written


class Left(Enum):
    """What is left when a worker finds no shard to do."""

    NOTHING = "nothing"
    OTHERS = "what others are doing"


class Worker:
    """Has a model, and does one shard after another. `place`, from 0 to 1, is where in the input it begins to look."""

    def __init__(self, work: Work, folder: BulkFolder, shard_lines: int | None, say: Say, place: float = 0.0) -> None:
        self.work = work
        self.folder = folder
        self.loaded: LoadedWork = work.load(say)
        settings = self.loaded.settings
        self.manifest: Manifest = folder.begin(settings, work.inputs, work.window_sizes(), shard_lines, say)
        shards = self.manifest.shards
        first = int(place * len(shards))
        self._pending = [] if folder.is_complete() else [*shards[first:], *shards[:first]]

    def step(self, watch: Watch, begins: Watch = lambda _: None) -> Shard | Left:
        """Does one shard and gives it back, or says what is left; `begins` hears the number of the shard."""
        others: list[Shard] = []
        while self._pending:
            shard = self._pending.pop(0)
            with _claim(self.folder, shard) as mine:
                if mine:
                    begins(shard.number)
                    try:
                        self._do(shard, watch)
                    except BaseException:
                        self._pending = [*others, shard, *self._pending]
                        raise
                    self._pending = [*others, *self._pending]
                    return shard
            if not self.folder.is_done(shard):
                others.append(shard)
        self._pending = others
        return Left.OTHERS if others else Left.NOTHING

    def _do(self, shard: Shard, watch: Watch) -> None:
        check_unchanged(shard, self.work.inputs)
        done = 0

        def count(lines: int) -> None:
            nonlocal done
            done += lines
            watch(lines)

        with ExitStack() as stack:
            outputs = [
                stack.enter_context(_written(self.folder.output(shard, index)))
                for index in range(len(self.folder.outputs))
            ]
            problems = self.loaded.process(shard, outputs, count)
            if done != shard.lines:
                raise RunError(
                    f"shard {shard.number} must have {shard.lines:,} lines, but {done:,} came out. Start it again."
                )
        self.folder.keep(shard, done, [output.summary for output in outputs], problems.to_json())


@contextmanager
def _claim(folder: BulkFolder, shard: Shard) -> Iterator[bool]:
    """Whether the shard is to be done here; nobody else has it meanwhile."""
    path = folder.lock_of(shard)
    if folder.is_done(shard):
        yield False
        return
    with path.open("ab") as file:
        mine = lock(file, folder.path, wait=False)
        yield mine and not folder.is_done(shard)
        if mine and folder.is_done(shard):
            path.unlink(missing_ok=True)


class _Output:
    """A file that is written aside, with its size and digest."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file
        self._digest = hashlib.sha256()
        self._bytes = 0

    def write(self, content: bytes) -> int:
        """Takes more of it."""
        self._digest.update(content)
        self._bytes += len(content)
        try:
            return self._file.write(content)
        except OSError as problem:
            raise not_written(self._path, problem) from problem

    @property
    def summary(self) -> Written:
        """What was written so far."""
        return Written(self._bytes, self._digest.hexdigest())


@contextmanager
def _written(path: Path) -> Iterator[_Output]:
    """A file that gets its name when all of it is on disk; under a name of its own before that."""
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        try:
            with aside.open("xb") as file:
                yield _Output(path, file)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except OSError as problem:
            raise not_written(path, problem) from problem
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
