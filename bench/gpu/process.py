"""The bench's end of a worker on the GPU: asks and answers apart, so that several can be busy at once."""

import contextlib
import json
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class GpuProcessFailed(Exception):
    """No result from a subject; the message is the reason, in one line."""


class GpuProcess:
    """One worker."""

    def __init__(self, arguments: Sequence[str], logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        name = "-".join(arguments[:3]).replace(" ", "_").replace(",", "")
        with (logs / f"gpu-{name}.log").open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bench.gpu.worker", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def send(self, request: dict[str, Any]) -> None:
        """Asks, and does not wait."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the answer will say that it ended
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

    def answer(self, limit: float) -> dict[str, Any]:
        """The answer, if it comes within that many seconds."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        if not ready:
            raise GpuProcessFailed(f"no answer within {limit:.0f} seconds")
        line = self.process.stdout.readline()
        if not line:
            raise GpuProcessFailed(f"the process ended with status {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise GpuProcessFailed(answer["error"])
        return answer

    def kill(self) -> None:
        """Ends it, whatever it does."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
