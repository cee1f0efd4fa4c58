"""The training throughput of a system on this machine, measured by training for a few seconds.

A budget of time needs it: a learning rate schedule that ends at zero must know its last step. The command
`python -m saccade.comparison.throughput RECIPE FOLDER SECONDS DEVICE` prints steps per second, so that several systems
can be measured at once if they will train at once.
"""

import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from saccade.recipes.recipe import Recipe, load_recipe
from saccade.runs.run import train
from saccade.training.journal import Listener

_WARMUP = 3
"""Steps that do not count: they load libraries, allocate memory and choose kernels."""
_ENDLESS = ("training.steps=1000000", "training.minutes=none", "training.patience=none")
_QUIET = ("training.validate_every=1000000", "training.checkpoint_every=1000000")


class Enough(Exception):
    """Raised to stop the training when the time is over."""


class _Stopwatch:
    """Collects the times of steps, and stops the run after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.times: list[float] = []

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["event"] != "step":
            return
        self.times.append(event["seconds"])
        if len(self.times) > _WARMUP + 1 and self.times[-1] - self.times[_WARMUP] >= self.seconds:
            raise Enough

    @property
    def steps_per_second(self) -> float:
        """By the median step: those that are captured into a CUDA graph take long, and are soon over."""
        counted = self.times[_WARMUP:]
        return 1 / max(statistics.median(after - before for before, after in pairwise(counted)), 1e-9)


def steps_per_second(recipe: Recipe, folder: Path, seconds: float, device: str | None = None) -> float:
    """How many steps it takes a second; the folder is as for `train_until_enough`."""
    watch = _Stopwatch(seconds)
    train_until_enough(recipe, folder, watch, device)
    return watch.steps_per_second


def train_until_enough(
    recipe: Recipe, folder: Path, listener: Listener, device: str | None = None, overrides: Sequence[str] = ()
) -> None:
    """Trains until the listener raises Enough, without validations.

    The folder is the run's own, where the prepared data may be already, and is removed afterwards.
    """
    try:
        train(recipe, folder, overrides=(*_ENDLESS, *_QUIET, *overrides), device=device, listeners=(listener,))
    except Enough:
        pass
    finally:
        for leftover in folder.iterdir():
            if leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()
        folder.rmdir()


def main(recipe: str, folder: str, seconds: str, device: str) -> None:
    """Measures and prints."""
    print(steps_per_second(load_recipe(recipe), Path(folder), float(seconds), device))


if __name__ == "__main__":
    main(*sys.argv[1:])
