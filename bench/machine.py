"""The CPU a measurement was made on, how busy other processes kept it meanwhile, and what commands find there."""

import os
import platform
import re
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def busy_seconds() -> float:
    """Processor seconds that all processes together have used so far, time stolen by a host counted; 0 if unknown."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
    except OSError:
        return 0.0
    user, nice, system, _idle, _waiting, interrupt, soft, stolen = map(int, first.split()[1:9])
    return (user + nice + system + interrupt + soft + stolen) / _TICK


def environment_of_users() -> dict[str, str]:
    """The environment for a command that is to start as it does for a user, whose Python keeps compiled modules.

    Some build machines forbid it to. Then a training compiles two thousand of them, torch's for the most part, for as
    long as all the rest of its start takes.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def description() -> str:
    """The CPU by name, and how many cores of it this process may use."""
    return f"{_cpu()}, {cores()} cores"


def short_name() -> str:
    """The same as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", f"{_cpu()} {cores()}".lower()).strip("-")[:60]


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()
