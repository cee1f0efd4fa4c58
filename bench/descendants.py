"""CPU seconds of processes that this one has started, such as those of a browser."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(ancestor: int) -> float:
    """Of all processes that descend from this one, itself not counted, as the kernel tells."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of a program stands in parentheses and may hold anything.
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
        own = int(stat.parent.name)
        parents[own], used[own] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    family = {ancestor}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used[one] for one in family - {ancestor})
