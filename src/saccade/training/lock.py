"""A lock on a run folder: one training at a time."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TextIO

from saccade.errors import RunError
from saccade.file_lock import lock
from saccade.json_files import parse_json

_ATTEMPTS = 9
"""How often to try again when a refused run takes the folder away at the same moment."""


@contextmanager
def run_lock(folder: Path, now: datetime) -> Iterator[None]:
    """Holds the lock of a run folder; a second process is told which one has it.

    The file stays, unless the run that holds it is refused and takes its folder away again; then a process that opened
    the file before must not believe that it has locked the one of that name.
    """
    with _locked(folder) as file:
        file.truncate(0)
        own = {"process": os.getpid(), "host": socket.gethostname(), "since": now.isoformat(timespec="seconds")}
        file.write(json.dumps(own))
        file.flush()
        yield


def _locked(folder: Path) -> TextIO:
    """The lock file, opened, locked, and still the one in the folder."""
    path = folder / "lock"
    for _ in range(_ATTEMPTS):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            file = path.open("a+", encoding="utf-8")
        except FileNotFoundError:
            continue  # the folder was taken away just now
        with ExitStack() as unless_kept:
            unless_kept.enter_context(file)
            if not lock(file, path, wait=False):
                raise RunError(f"{folder} must be free, but {_holder(path)}. Wait for it or stop it.")
            if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):
                unless_kept.pop_all()
                return file
    raise RunError(f"`{path}` must be a file that can be locked, but is not. Remove it, or choose another folder.")


def _holder(path: Path) -> str:
    try:
        holder = parse_json(path.read_bytes())
        return f"process {holder['process']} on {holder['host']} has been training there since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process is training there"
