"""A server of ours as a process of its own: `saccade serve`, `saccade explore`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """The address of a server that this command starts, for as long as it is used; on a port that is free."""
    command = [sys.executable, "-m", "saccade.cli.main", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next((line for line in process.stdout if line.startswith("http")), None)
            if address is None:  # it has said why on standard error
                raise RuntimeError(f"`saccade {' '.join(arguments)}` must serve, but has ended.")
            yield address.split()[0].rstrip("/")
        finally:
            process.terminate()
