"""A lock on an open file, so that one process at a time does something.

The operating system owns it and releases it when the process ends, however it ends: a kill leaves nothing to clean up.
"""

import fcntl
from pathlib import Path
from typing import IO, Any

from saccade.errors import InputError


def lock(file: IO[Any], path: Path, *, wait: bool) -> bool:
    """Locks a file until it is closed; False where another process has it and is not waited for.

    `path` is what an error names where files cannot be locked at all.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as problem:
        raise InputError(
            f"`{path}` must be on a file system with locks, but it has none: {problem.strerror}. Choose another place."
        ) from problem
    return True
