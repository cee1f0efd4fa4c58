"""A worker in a process that `processes.py` started: everything it has to say goes through a pipe.

Also a worker in the process that the user started, which is what torchrun and SLURM start several of.
"""

import gc
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from saccade.bulk.folder import BulkFolder
from saccade.bulk.progress import Progress
from saccade.bulk.ranks import Rank
from saccade.bulk.work import Say, Watch, Work
from saccade.bulk.worker import Left, Worker
from saccade.errors import SaccadeError
from saccade.memory import does_not_fit, ran_out_of_memory

POLL = 0.2
"""Seconds until a worker without a shard looks again whether somebody else's has come free."""
_TOLD_EVERY = 0.5
"""Seconds between two messages about lines."""


@dataclass(frozen=True)
class ThisProcess:
    """One worker, here; it may be one of several that a launcher has started."""

    rank: Rank
    gpu: str | None
    shard_lines: int | None

    def run(self, work: Work, folder: BulkFolder, progress: Progress, say: Say) -> None:
        """Until every shard is finished, by whomever."""
        _see(self.gpu)
        worker = Worker(work, folder, self.shard_lines, say, self.rank.place)
        progress.ready()
        work_until_finished(worker, progress.watch)


@dataclass(frozen=True)
class WorkerSettings:
    """What one of several processes needs to know."""

    work: Work
    folder: BulkFolder
    shard_lines: int | None
    place: float
    processes: int
    gpu: str | None


def work_until_finished(worker: Worker, watch: Watch, tell: Callable[[str, int], None] = lambda *_: None) -> None:
    """Does shards until every one is finished, by whomever; `tell` hears which is begun and done."""
    gc.freeze()  # what was loaded stays to the end: to look for garbage in it takes a tenth of the time around a search
    try:
        while True:
            found = worker.step(watch, lambda shard: tell("began", shard))
            if found is Left.NOTHING:
                return
            if found is Left.OTHERS:
                time.sleep(POLL)
                watch(0)
            else:
                assert not isinstance(found, Left)
                tell("done", found.number)
    finally:
        gc.unfreeze()


def work_in_process(settings: WorkerSettings, events: Connection, speaks: bool) -> None:
    """What a process of its own does, from start to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started it was interrupted too, and ends it
    _see(settings.gpu)
    messages = _Messages(events)
    try:
        _share_cores(settings.processes)
        say: Say = (lambda line: messages.tell("said", line)) if speaks else (lambda _: None)
        worker = Worker(settings.work, settings.folder, settings.shard_lines, say, settings.place)
        messages.tell("ready")
        work_until_finished(worker, messages.watch, messages.about_shard)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            messages.tell("failed", str(error.strerror), str(error.filename))
        elif isinstance(error, (SaccadeError, OSError)):
            messages.tell("failed", str(error), None)
        elif ran_out_of_memory(error):
            messages.tell("failed", does_not_fit("a worker"), None)
        else:
            raise


class _Messages:
    """To the process that started this one; when that is gone, there is nothing left to do."""

    def __init__(self, events: Connection) -> None:
        self._events = events
        self._lines, self._told = 0, time.monotonic()

    def tell(self, *message: Any) -> None:
        """Sends a message."""
        try:
            self._events.send(message)
        except OSError:
            os._exit(0)

    def watch(self, lines: int) -> None:
        """Tells of lines, now and then."""
        self._lines += lines
        if time.monotonic() - self._told >= _TOLD_EVERY:
            self.tell("lines", self._lines)
            self._lines, self._told = 0, time.monotonic()

    def about_shard(self, event: str, number: int) -> None:
        """A shard is begun or done: its lines are told before its end."""
        if event == "done":
            self.tell("lines", self._lines)
            self._lines = 0
        self.tell(event, number)


def _see(gpu: str | None) -> None:
    """Before torch looks for GPUs: the one that this process is to see."""
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu


def _share_cores(processes: int) -> None:
    """Leaves torch its share of the threads that it would take alone."""
    import torch

    if processes > 1:
        torch.set_num_threads(max(torch.get_num_threads() // processes, 1))
