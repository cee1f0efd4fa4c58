"""The bench's end of a worker: starts it, sends it requests as JSON lines, and reads the answers.

`WorkerProcess` is any worker. `CpuWorker` runs one implementation in its own environment and repeats a measurement that
other processes disturbed.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.environments import ROOT, EnvironmentFailed, python_of
from bench.implementations import Implementation
from bench.machine import busy_seconds

NOISE = 0.6
"""Cores that other processes may use before a measurement is repeated; once, because they may stay."""
GIVE_UP = 3
"""How many repeats in a row may fail to help before no more are made: then the other processes are here to stay."""
PATIENCE = 600.0
"""Seconds after which a worker that does not answer is given up."""


class WorkerFailed(Exception):
    """A worker gave no result; the message is the reason, in one line."""


class WorkerProcess:
    """A process that answers JSON lines; what it writes to standard error goes to `log`."""

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **(environment or {})},
            )

    @property
    def alive(self) -> bool:
        """Whether it still runs: it does after most errors."""
        return self.process.poll() is None

    def send(self, do: str, **request: Any) -> None:
        """Sends a request without waiting for the answer."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # `receive` will say that the process ended
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()

    def receive(self, limit: float) -> dict[str, Any]:
        """The answer, if it comes within that many seconds."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        if not ready:
            self.kill()
            raise WorkerFailed(f"no answer within {limit:.0f} seconds")
        line = self.process.stdout.readline()
        if not line:
            raise WorkerFailed(f"the process ended with status {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerFailed(answer["error"])
        return answer

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """One request and its answer."""
        self.send(do, **request)
        return self.receive(PATIENCE)

    def close(self) -> None:
        """Ends the worker: by the end of its input, by force if that does not help within ten seconds."""
        with contextlib.suppress(BrokenPipeError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.kill()

    def kill(self) -> None:
        """Ends the worker at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class CpuWorker(WorkerProcess):
    """One implementation in its own environment, measured beside whatever else this machine does."""

    def __init__(self, implementation: Implementation, threads: int, logs: Path) -> None:
        self.implementation = implementation
        self.repeated = 0
        self.repeated_in_vain = 0
        self.info: dict[str, Any] = {}
        try:
            named = implementation.environment
            python = sys.executable if named is None else str(python_of(named))
        except EnvironmentFailed as error:
            raise WorkerFailed(str(error)) from None
        environment = {
            **{"PYTHONWARNINGS": "ignore", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"},
            **{"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)},
            # What `saccade train` sets for itself (saccade/memory.py), for everybody who shares its build of torch.
            "MIMALLOC_PURGE_DELAY": "-1",
            # The environment of a peer does not hold the bench.
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        }
        key = implementation.key
        super().__init__([python, "-m", "bench.worker", key], logs / f"{key}.log", environment)

    def measure(self, do: str, **request: Any) -> dict[str, Any]:
        """A timed request: repeated where other processes were busy, unless that has not helped lately."""
        answer = self._timed(do, **request)
        if answer["others"] >= NOISE and self.repeated_in_vain < GIVE_UP:
            self.repeated += 1
            answer = self._timed(do, **request)
            self.repeated_in_vain = self.repeated_in_vain + 1 if answer["others"] >= NOISE else 0
        return answer

    def _timed(self, do: str, **request: Any) -> dict[str, Any]:
        began, before = time.perf_counter(), busy_seconds()
        answer = self.ask(do, **request)
        wall = time.perf_counter() - began
        others = max(0.0, busy_seconds() - before - answer["cpu_seconds"]) / wall
        # /proc counts in hundredths of a second: short measurements cannot be judged.
        return {**answer, "others": others if wall >= 0.2 else 0.0}
