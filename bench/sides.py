"""Side by side: every subject alive at once, each given the same piece of work in turn.

The order rotates from piece to piece, so that drift of the machine, and whatever one subject leaves behind in the
caches, hits all alike; a subject that fails leaves with its reason and the others go on.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.process import Process, SubjectFailed
from bench.subjects import Subject

LOCK = "BENCH_LOCK"
"""An environment variable that may name a file to lock during each turn, where several people measure."""


class Sides:
    """The subjects that can be measured, and why the others cannot."""

    def __init__(self, subjects: list[Subject]) -> None:
        self.subjects = subjects
        self.processes: dict[str, Process] = {}
        self.failed: dict[str, str] = {}

    def alive(self, turn: int = 0) -> list[Process]:
        """Those still in it, in the order of this turn."""
        processes = list(self.processes.values())
        turn %= max(1, len(processes))
        return processes[turn:] + processes[:turn]

    def everyone(self, turn: int, pause: float, do: str, **request: Any) -> dict[str, dict[str, Any]]:
        """Each one's answer to the same question, by key; the reason under "error" where there is none."""
        answers = {}
        with alone():
            for process in self.alive(turn):
                key = process.subject.key
                try:
                    answers[key] = process.measure(do, **request)
                except SubjectFailed as error:
                    answers[key] = {"error": str(error)}
                    if not process.answers:
                        self.leave(key, str(error))
                # A thread pool that spins for a while after its work would slow the next subject.
                time.sleep(pause)
        return answers

    def leave(self, key: str, reason: str) -> None:
        """Takes a subject out for good."""
        print(f"{key} fails: {reason}", file=sys.stderr, flush=True)
        self.failed[key] = reason
        if key in self.processes:
            self.processes.pop(key).close()


@contextmanager
def sides(subjects: list[Subject], size: str, mode: str, threads: int, logs: Path) -> Iterator[Sides]:
    """Starts and builds all subjects; one after the other, so that none fights for memory or cores with another."""
    company = Sides(subjects)
    try:
        for subject in subjects:
            print(f"building {subject.key}", file=sys.stderr, flush=True)
            try:
                process = company.processes[subject.key] = Process(subject, threads, logs)
                process.info = process.ask("build", size=size, mode=mode, threads=threads)["info"]
            except SubjectFailed as error:
                company.leave(subject.key, str(error))
        yield company
    finally:
        for process in company.processes.values():
            process.close()


@contextmanager
def alone() -> Iterator[None]:
    """While nobody else holds the lock, where one is named."""
    if LOCK not in os.environ:
        yield
        return
    with Path(os.environ[LOCK]).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
