"""How long one sentence and one step of training take in a new process, beside what importing torch alone takes.

    python -m bench.startup [--repeats 10]

The shipped model translates a sentence; the smallest recipe prepares its data, takes one step and scores the model. The
commands take turns. CPU seconds say more than wall seconds where a machine has other work.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.machine import environment_of_users
from bench.quartiles import Quartiles, ratios
from bench.table import markdown, with_quartiles

FOLDER = "FOLDER"
"""In a command, a folder that does not exist yet."""
COMMANDS = {
    "import torch": ("-c", "import torch"),
    "saccade translate": ("-m", "saccade.cli.main", "translate", "en-es", "Where is the train station?"),
    "saccade train": (
        *("-m", "saccade.cli.main", "train", "tiny", "--out", FOLDER),
        *("--device", "cpu", "--set", "training.steps=1"),
    ),
    "saccade --help": ("-m", "saccade.cli.main", "--help"),
}


def measure(repeats: int) -> dict[str, Any]:
    """Wall and CPU seconds of each command as plain values, and their table; a first round is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    cpu_seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(-1, repeats):
        for name, arguments in COMMANDS.items():
            wall, cpu = seconds_of(arguments)
            if turn >= 0:
                seconds[name].append(wall)
                cpu_seconds[name].append(cpu)
    rows = [
        {
            "implementation": name,
            "seconds": asdict(Quartiles.of(values)),
            "cpu_seconds": asdict(Quartiles.of(cpu_seconds[name])),
            "over_import": asdict(ratios(values, seconds["import torch"])),
        }
        for name, values in seconds.items()
    ]
    return {"title": "start-up", "settings": {"repeats": repeats}, "rows": rows, "markdown": rendered(rows)}


def seconds_of(arguments: Sequence[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a new Python with these arguments."""
    with TemporaryDirectory() as parent:
        command = [argument.replace(FOLDER, str(Path(parent, "new"))) for argument in arguments]
        began, before = time.perf_counter(), _cpu_of_children()
        subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment_of_users())
        return time.perf_counter() - began, _cpu_of_children() - before


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rendered(rows: list[dict[str, Any]]) -> str:
    """A Markdown table of it."""
    lines = [
        [row["implementation"], *(with_quartiles(row[key], 2) for key in ("seconds", "cpu_seconds", "over_import"))]
        for row in rows
    ]
    return "**start-up**\n\n" + markdown(["", "wall seconds", "CPU seconds", "wall of importing torch"], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    print(measure(parser.parse_args(arguments).repeats)["markdown"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
