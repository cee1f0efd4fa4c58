"""How long one sentence takes from the command line, beside what importing torch alone takes.

    python -m bench.startup [--repeats 10]

The shipped model translates one sentence in a new process; the two commands take turns.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bench.quartiles import Quartiles, ratios
from bench.table import markdown, with_quartiles

COMMANDS = {
    "import torch": ("-c", "import torch"),
    "saccade translate": ("-m", "saccade.cli.main", "translate", "en-es", "Where is the train station?"),
    "saccade --help": ("-m", "saccade.cli.main", "--help"),
}


def measure(repeats: int) -> dict[str, Any]:
    """Wall seconds of each command as plain values, and their table; a first round is not counted."""
    # Some build machines forbid Python to keep compiled modules. A user's Python keeps them from the first run on.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(-1, repeats):
        for name, arguments in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
            if turn >= 0:
                seconds[name].append(time.perf_counter() - began)
    rows = [
        {
            "implementation": name,
            "seconds": asdict(Quartiles.of(values)),
            "over_import": asdict(ratios(values, seconds["import torch"])),
        }
        for name, values in seconds.items()
    ]
    return {"title": "start-up", "settings": {"repeats": repeats}, "rows": rows, "markdown": rendered(rows)}


def rendered(rows: list[dict[str, Any]]) -> str:
    """A Markdown table of it."""
    lines = [
        [row["implementation"], with_quartiles(row["seconds"], 2), with_quartiles(row["over_import"], 2)]
        for row in rows
    ]
    return "**start-up**\n\n" + markdown(["", "wall seconds", "of importing torch"], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    print(measure(parser.parse_args(arguments).repeats)["markdown"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
