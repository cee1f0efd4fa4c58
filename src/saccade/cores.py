"""How many cores there are to compute on. Torch is not asked: processes that only cut text never load it."""

import os


def usable_cores() -> int:
    """The cores that this process may run on: fewer than the machine has where somebody has given it a share."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
