"""The training throughput of a system on this machine, measured by training for a few seconds.

A budget of time needs it: a learning rate schedule that ends at zero must know its last step.
"""

import gc
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from saccade.recipes.recipe import Recipe
from saccade.runs.run import train
from saccade.training.interruption import StopTraining
from saccade.training.journal import Listener

_WARMUP = 3
"""Steps that do not count: they load libraries, allocate memory and choose kernels."""
_PATIENCE = 6
"""So many times the seconds are spent at most."""
_ENDLESS = ("training.steps=1000000", "training.minutes=none", "training.patience=none")
# Speed does not depend on the rate, and at this one nothing diverges.
_STILL = ("training.learning_rate=1e-7", "training.learning_rate_factor=1.0")
_QUIET = ("training.validate_every=1000000", "training.checkpoint_every=1000000")


class Enough(StopTraining):
    """Raised to stop the training when the time is over."""


@dataclass
class _Timed:
    """How many steps there were, and how long they took together."""

    steps: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.steps += 1
        self.seconds += seconds


class Stopwatch:
    """Times the steps of a run, and stops it after so many seconds of steps that count.

    Where steps are captured into CUDA graphs, the first of each shape takes as long as many that follow, and is soon
    over: it does not count. If too few count, the run stops after several times the seconds.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._counted, self._all = _Timed(), _Timed()
        self._captured = False
        self._met: set[Any] = set()
        self._last: float | None = None
        self._took: float | None = None

    def __call__(self, event: Mapping[str, Any]) -> None:
        """One event of the run's journal or of its progress."""
        if event["event"] == "start":
            self._captured = bool(event.get("recorded"))
        if event["event"] != "step":
            return
        first_of_shape = self._captured and event["shapes"] not in self._met
        self._met.add(event["shapes"])
        if self._took is not None and event["step"] - 1 > _WARMUP:  # the step that took so long is the one before
            self._all.add(self._took)
            # The host takes this step before it learns of the end of the last: capturing was part of that one's time.
            if not first_of_shape:
                self._counted.add(self._took)
        if self._last is not None:
            self._took = event["seconds"] - self._last
        self._last = event["seconds"]
        if self._counted.seconds >= self.seconds or self._all.seconds >= _PATIENCE * self.seconds:
            raise Enough

    @property
    def steps_per_second(self) -> float:
        """Of the steps that count, or of all where none does."""
        timed = self._counted if self._counted.steps else self._all
        assert timed.steps, "only an interruption ends the run before it has had enough"
        return timed.steps / timed.seconds


def steps_per_second(recipe: Recipe, folder: Path, seconds: float, device: str | None = None) -> float:
    """How many steps it takes a second; the folder is as for `train_until_enough`."""
    watch = Stopwatch(seconds)
    train_until_enough(recipe, folder, watch, device)
    return watch.steps_per_second


def train_until_enough(
    recipe: Recipe, folder: Path, listener: Listener, device: str | None = None, overrides: Sequence[str] = ()
) -> None:
    """Trains until the listener raises Enough, without validations.

    The folder is the run's own, where the prepared data may be already, and is removed afterwards.
    """
    overrides = (*_ENDLESS, *_STILL, *_QUIET, *overrides)
    try:
        if train(recipe, folder, overrides=overrides, device=device, listeners=(listener,)).interrupted:
            raise KeyboardInterrupt  # what was measured until then would become the plan
    except Enough:
        pass
    finally:
        for leftover in folder.iterdir():
            if leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()
        folder.rmdir()
        # Captured steps hold memory of their own, which the next system's cannot take over.
        gc.collect()
        torch.cuda.empty_cache()
