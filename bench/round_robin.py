"""Every implementation alive at once, each given the same piece of work in turn.

The order rotates from piece to piece, so that drift of the machine, and what one implementation leaves in the caches,
affects all alike. An implementation that fails is taken out with its reason and the others go on.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.implementations import Implementation
from bench.worker_process import CpuWorker, WorkerFailed

LOCK = "BENCH_LOCK"
"""An environment variable that may name a file to lock during each turn, where several people measure."""


class RoundRobin:
    """The implementations that can be measured, and why the others cannot."""

    def __init__(self) -> None:
        self.workers: dict[str, CpuWorker] = {}
        self.failed: dict[str, str] = {}

    def order(self, turn: int = 0) -> list[CpuWorker]:
        """The workers, in the order of this turn."""
        workers = list(self.workers.values())
        turn %= max(1, len(workers))
        return workers[turn:] + workers[:turn]

    def measure_all(self, turn: int, pause: float, do: str, **request: Any) -> dict[str, dict[str, Any]]:
        """Each worker's answer to the same request, by key; the reason under "error" where there is none."""
        answers = {}
        with machine_lock():
            for worker in self.order(turn):
                key = worker.implementation.key
                try:
                    answers[key] = worker.measure(do, **request)
                except WorkerFailed as error:
                    answers[key] = {"error": str(error)}
                    if not worker.alive:
                        self.remove(key, str(error))
                # A thread pool that spins for a while after its work would slow the next implementation.
                time.sleep(pause)
        return answers

    def remove(self, key: str, reason: str) -> None:
        """Takes an implementation out for good."""
        print(f"{key} fails: {reason}", file=sys.stderr, flush=True)
        self.failed[key] = reason
        if key in self.workers:
            self.workers.pop(key).close()


def failed_row(implementation: Implementation, failed: Mapping[str, str]) -> dict[str, Any]:
    """The row of an implementation that could not be measured."""
    return {"implementation": implementation.key, "title": implementation.title, "error": failed[implementation.key]}


@contextmanager
def started(
    implementations: list[Implementation], size: str, mode: str, threads: int, logs: Path
) -> Iterator[RoundRobin]:
    """Starts and builds all that this machine can run, one after the other, so that none competes with another."""
    company = RoundRobin()
    try:
        for implementation in implementations:
            if implementation.obstacle is not None:
                company.remove(implementation.key, implementation.obstacle)
                continue
            print(f"building {implementation.key}", file=sys.stderr, flush=True)
            try:
                worker = company.workers[implementation.key] = CpuWorker(implementation, threads, logs)
                worker.info = worker.ask("build", size=size, mode=mode, threads=threads)["info"]
            except WorkerFailed as error:
                company.remove(implementation.key, str(error))
        yield company
    finally:
        for worker in company.workers.values():
            worker.close()


@contextmanager
def machine_lock() -> Iterator[None]:
    """Holds the lock that BENCH_LOCK names, if it names one."""
    if LOCK not in os.environ:
        yield
        return
    with Path(os.environ[LOCK]).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
