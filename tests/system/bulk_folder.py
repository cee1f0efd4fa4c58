"""What a test sees of a bulk job from outside."""

import os
from contextlib import suppress
from pathlib import Path


def records(output: Path) -> dict[str, int]:
    """The records of finished shards, and when each was written; they go when the output is joined."""
    found = {}
    with suppress(FileNotFoundError):
        for entry in os.scandir(output.with_name(f"{output.name}.bulk")):
            if entry.name[0] == "0" and entry.name.endswith(".json"):
                with suppress(FileNotFoundError):
                    found[entry.name] = entry.stat().st_mtime_ns
    return found
