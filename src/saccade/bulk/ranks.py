"""Which of how many processes this one is, as torchrun and SLURM tell it.

It decides only where in the input a process begins to look for shards, so that they seldom reach for the same one, and
which GPU it takes. Whoever comes later, or not at all, changes nothing about the result.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rank:
    """This process among `count`, and among those of this machine."""

    number: int = 0
    count: int = 1
    local: int | None = None

    @property
    def place(self) -> float:
        """Where in the input it begins, from 0 to 1."""
        return self.number / self.count


# The number, how many there are, and the number on this machine; for a job array, the first number and the step.
_TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_RANK")
_SLURM_STEP = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID")
_SLURM_ARRAY = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP")


def rank(environment: Mapping[str, str] = os.environ) -> Rank:
    """From the environment; without a launcher, the only one. An array of jobs may have several processes in each."""
    array = _array(environment)
    for names in (_TORCHRUN, _SLURM_STEP):
        number, count, local = (_number(environment, name) for name in names)
        if number is not None and count is not None and local is not None and 0 <= number < count:
            return Rank(array.number * count + number, array.count * count, local)
    return array


def _array(environment: Mapping[str, str]) -> Rank:
    task, count, first, step = (_number(environment, name) for name in _SLURM_ARRAY)
    if task is None or count is None or count < 1:
        return Rank()
    number = (task - (first or 0)) // (step or 1)
    return Rank(min(max(number, 0), count - 1), count)


def _number(environment: Mapping[str, str], name: str) -> int | None:
    value = environment.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else None
