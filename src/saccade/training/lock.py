"""A lock on a run folder: one training at a time."""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from saccade.errors import RunError


@contextmanager
def run_lock(folder: Path, now: datetime) -> Iterator[None]:
    """Holds the lock of a run folder; a second process is told which one has it.

    The operating system owns the lock and releases it when the process ends, however it ends, so a kill leaves nothing
    to clean up. The file stays: removing it would let two processes lock two files of the same name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise RunError(
                f"{folder} must be free, but {_holder(folder / 'lock')}. Wait for it or stop it."
            ) from problem
        file.truncate(0)
        own = {"process": os.getpid(), "host": socket.gethostname(), "since": now.isoformat(timespec="seconds")}
        file.write(json.dumps(own))
        file.flush()
        yield


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        return f"process {holder['process']} on {holder['host']} has been training there since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process is training there"
