"""Workers as processes of this machine: one for each GPU, or each for a group of cores.

Each takes shards on its own (`process_worker.py`); this process starts them, hears how far they are, and replaces one
that died. Where a shard cannot be done, those before it are still finished: they may hold an earlier line that cannot,
and that is the one to tell.
"""

import multiprocessing
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from saccade.bulk.folder import BulkFolder
from saccade.bulk.process_worker import WorkerSettings, work_in_process
from saccade.bulk.progress import Progress
from saccade.bulk.ranks import Rank
from saccade.bulk.work import Say, Work
from saccade.errors import RunError, SaccadeError

MOST_DEATHS = 3
"""Workers that may die one after the other, besides one for each, without a shard finished in between."""


@dataclass
class _Process:
    process: Any
    events: Connection
    shard: int | None = None
    """What it is doing."""
    lines: int = 0
    """Of that shard."""
    stopped: bool = False
    failure: SaccadeError | OSError | None = None


class Processes:
    """Several workers at once on this machine, which may be one of several."""

    def __init__(self, workers: int, rank: Rank, gpu_count: int, shard_lines: int | None) -> None:
        self.workers, self.rank, self.gpu_count, self.shard_lines = workers, rank, gpu_count, shard_lines
        self._running: dict[int, _Process] = {}
        self._failures: dict[int, SaccadeError | OSError] = {}
        self._deaths = 0
        self._planned = False

    def run(self, work: Work, folder: BulkFolder, progress: Progress, say: Say) -> None:
        """Until every shard is finished; raises the error of the first line that cannot be done."""
        self._progress, self._say = progress, say
        self._settings = [
            WorkerSettings(work, folder, self.shard_lines, self.rank.place, self.workers, gpu)
            for gpu in visible_gpus(self.rank, self.workers, self.gpu_count)
        ]
        try:
            for index in range(self.workers):
                self._start(index)
            while self._running:
                events = [one.events for one in self._running.values()]
                wait([*events, *(one.process.sentinel for one in self._running.values())], timeout=1.0)
                progress.watch(0)
                for index in list(self._running):
                    self._hear(index)
                if self._failures:
                    self._stop_those_after(min(self._failures))
        finally:
            for one in self._running.values():
                one.process.kill()
            for one in self._running.values():
                one.process.join()
        if self._failures:
            raise self._failures[min(self._failures)]

    def _start(self, index: int) -> None:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        # The first of them says what there is to say about model and engine.
        arguments = (self._settings[index], there, index == 0)
        process = context.Process(target=work_in_process, args=arguments, daemon=True)
        process.start()
        there.close()
        self._running[index] = _Process(process, here)

    def _hear(self, index: int) -> None:
        one = self._running[index]
        ended = not one.process.is_alive()  # asked first: what it said before that is in the pipe
        with suppress(EOFError, OSError):  # it may have died in the middle of a word
            while one.events.poll():
                self._take(one, *one.events.recv())
        if ended:
            one.process.join()
            one.events.close()
            del self._running[index]
            self._ended(index, one)

    def _take(self, one: _Process, event: str, *values: Any) -> None:
        match event, *values:
            case "ready", *_:
                if not self._planned:
                    self._planned = True
                    self._progress.ready()
            case "said", line:
                self._say(line)
            case "began", shard:
                one.shard, one.lines = shard, 0
            case "lines", lines:
                one.lines += lines
                self._progress.watch(lines)
            case "done", _:
                self._deaths = 0
                one.shard, one.lines = None, 0
            case "failed", message, None:
                one.failure = SaccadeError(message)
            case "failed", message, name:
                one.failure = OSError(0, message, name)

    def _ended(self, index: int, one: _Process) -> None:
        if one.failure is not None:
            # Without a shard it is about the work as a whole.
            self._failures.setdefault(-1 if one.shard is None else one.shard, one.failure)
            return
        if one.process.exitcode == 0 or one.stopped or self._failures:
            return
        if one.process.exitcode > 0:
            raise RuntimeError("a worker ended in an error of the program, which stands above")
        self._progress.watch(-one.lines)
        self._deaths += 1
        how = signal.Signals(-one.process.exitcode).name
        if self._deaths > MOST_DEATHS + self.workers:
            raise RunError(
                f"a worker must live until its shard is done, but {self._deaths} died in a row, the last of {how}. "
                "Is there memory for so many? The same command goes on."
            )
        self._say(f"a worker died of {how}; another one takes its place")
        self._start(index)

    def _stop_those_after(self, shard: int) -> None:
        for one in self._running.values():
            if not one.stopped and (one.shard is None or one.shard > shard):
                one.stopped = True
                one.process.kill()


def visible_gpus(rank: Rank, processes: int, count: int) -> list[str | None]:
    """The GPU that each of so many processes sees, of `count` that are here; None: what this process sees."""
    if count < 2 or (processes == 1 and rank.local is None):
        return [None] * processes
    visible = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
    names = visible or [str(number) for number in range(count)]
    first = (rank.local or 0) * processes
    return [names[(first + index) % len(names)] for index in range(processes)]
