"""How far a job is, in one line: lines done, lines a second, time left."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from saccade.bulk.folder import BulkFolder
from saccade.bulk.work import Say
from saccade.data.progress import estimate_in_words

FIRST_LINE = 5.0
"""Seconds until a log gets its first line; each silence is twice the last."""
LONGEST_SILENCE = 60.0
LOOKED_EVERY = 5.0
"""Seconds between two looks at what others have finished: each lists the folder."""


class Progress:
    """Counts lines of all workers, those of other machines as their shards get finished, and tells at intervals."""

    def __init__(
        self, folder: BulkFolder, show: Say, interval: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder = folder
        self._show, self._clock = show, clock
        self._interval = interval
        self._shards: dict[str, int] = {}
        self._total = self._before = self._own = self._finished = 0

    def ready(self) -> None:
        """The work is planned, and begins."""
        self._shards = {f"{shard.name}.json": shard.lines for shard in self.folder.manifest().shards}
        self._total = sum(self._shards.values())
        self._before = self._finished = self._recorded()
        self._began = self._looked = self._told = self._clock()

    def watch(self, lines: int) -> None:
        """So many more lines are done here; none: time has passed."""
        self._own += lines
        now = self._clock()
        if not self._shards or now - self._told < self._interval:
            return
        if now - self._looked >= LOOKED_EVERY:
            self._looked, self._finished = now, self._recorded()
        if self._own <= 0 and self._finished == self._before:
            return  # nothing is known about the speed
        self._told = now
        self._interval = self._interval if self._interval < FIRST_LINE else min(2 * self._interval, LONGEST_SILENCE)
        self._show(self.line())

    def line(self) -> str:
        """The line."""
        done = min(max(self._before + self._own, self._finished), self._total)
        speed = (done - self._before) / max(self._clock() - self._began, 1e-9)
        left = f", {estimate_in_words((self._total - done) / speed)} left" if speed > 0 else ""
        return f"{done:,} of {self._total:,} lines, {speed:,.0f} lines/s{left}"

    def _recorded(self) -> int:
        return sum(self._shards.get(name, 0) for name in os.listdir(self.folder.path))


@contextmanager
def shown_progress(folder: BulkFolder) -> Iterator[tuple[Progress, Say]]:
    """What suits standard error: on a terminal one line that changes, in a log a line now and then."""
    if not sys.stderr.isatty():
        yield Progress(folder, _print, FIRST_LINE), _print
        return
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=True, highlight=False)
    with Status("", console=console) as status:

        def say(line: str) -> None:
            console.print(line, markup=False)

        def show(line: str) -> None:
            status.update(line)

        yield Progress(folder, show, 0.5), say


def _print(line: str) -> Any:
    print(line, file=sys.stderr, flush=True)
