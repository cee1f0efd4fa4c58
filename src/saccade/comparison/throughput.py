"""How fast a system trains on this machine, found by letting it train for a moment.

A budget of time asks for it: a learning rate that falls to nothing with the last step must know which step that is.
`python -m saccade.comparison.throughput RECIPE FOLDER SECONDS DEVICE` prints steps per second, so that several can be
measured side by side when they will run side by side.
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.recipes.recipe import Recipe, load_recipe
from saccade.runs.run import train

_WARMING = 3
"""The first steps load libraries, allocate memory and choose kernels."""
_ENDLESS = ("training.steps=1000000", "training.minutes=none", "training.patience=none")
_QUIET = ("training.validate_every=1000000", "training.checkpoint_every=1000000")


class _Enough(Exception):
    """Raised by the listener when it has heard enough."""


class _Stopwatch:
    """Hears the steps of a run until so many seconds have passed since the first that count."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.times: list[float] = []

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["event"] != "step":
            return
        self.times.append(event["seconds"])
        if len(self.times) > _WARMING + 1 and self.times[-1] - self.times[_WARMING] >= self.seconds:
            raise _Enough

    @property
    def steps_per_second(self) -> float:
        counted = self.times[_WARMING:]
        return (len(counted) - 1) / max(counted[-1] - counted[0], 1e-9)


def steps_per_second(recipe: Recipe, folder: Path, seconds: float, device: str | None = None) -> float:
    """Trains in a folder of its own, where the data may lie already, and leaves nothing else there."""
    watch = _Stopwatch(seconds)
    try:
        train(recipe, folder, overrides=(*_ENDLESS, *_QUIET), device=device, listeners=(watch,))
    except _Enough:
        pass
    finally:
        for leftover in folder.iterdir():
            if leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()
        folder.rmdir()
    return watch.steps_per_second


def main(recipe: str, folder: str, seconds: str, device: str) -> None:
    """Rehearses and prints."""
    print(steps_per_second(load_recipe(recipe), Path(folder), float(seconds), device))


if __name__ == "__main__":
    main(*sys.argv[1:])
