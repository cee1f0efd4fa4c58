"""The bench's end of a worker: starts it, asks it, and measures again what others disturbed."""

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.environments import EnvironmentFailed, python_of
from bench.machine import busy_seconds
from bench.subjects import Subject

NOISE = 0.6
"""Cores that others may take before a measurement is made again; once, as they may stay."""
GIVE_UP = 3
"""How often in a row that may be in vain before nothing is measured again: then the others are here to stay."""
PATIENCE = 600.0
"""Seconds after which a worker that does not answer is given up."""


class SubjectFailed(Exception):
    """A subject cannot be measured; the message is the reason, in one line."""


class Process:
    """A worker that runs one subject."""

    def __init__(self, subject: Subject, threads: int, logs: Path) -> None:
        self.subject = subject
        self.measured_again = 0
        self.in_vain = 0
        self.info: dict[str, Any] = {}
        try:
            python = sys.executable if subject.environment is None else str(python_of(subject.environment))
        except EnvironmentFailed as error:
            raise SubjectFailed(str(error)) from None
        logs.mkdir(parents=True, exist_ok=True)
        quiet = {"PYTHONWARNINGS": "ignore", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
        counts = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        with (logs / f"{subject.key}.log").open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, str(Path(__file__).with_name("worker.py")), subject.key],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **quiet, **counts},
            )

    @property
    def answers(self) -> bool:
        """Whether it still runs: it does after most errors."""
        return self.process.poll() is None

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """One question, one answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            if not ready:
                self.close()
                raise SubjectFailed(f"no answer within {PATIENCE:.0f} seconds")
            line = self.process.stdout.readline()
        if not line:
            raise SubjectFailed(f"the process ended with status {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SubjectFailed(answer["error"])
        return answer

    def measure(self, do: str, **request: Any) -> dict[str, Any]:
        """The same for what is timed: once more where others were busy, until that has helped too rarely."""
        answer = self._timed(do, **request)
        if answer["others"] >= NOISE and self.in_vain < GIVE_UP:
            self.measured_again += 1
            answer = self._timed(do, **request)
            self.in_vain = self.in_vain + 1 if answer["others"] >= NOISE else 0
        return answer

    def _timed(self, do: str, **request: Any) -> dict[str, Any]:
        began, before = time.perf_counter(), busy_seconds()
        answer = self.ask(do, **request)
        wall = time.perf_counter() - began
        others = max(0.0, busy_seconds() - before - answer["processor"]) / wall
        # /proc counts in hundredths of a second: short measurements cannot be judged.
        return {**answer, "others": others if wall >= 0.2 else 0.0}

    def close(self) -> None:
        """Ends the worker."""
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
