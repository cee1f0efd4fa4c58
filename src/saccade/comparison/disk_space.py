"""Whether the disk has room for what the runs of a comparison keep, asked before the first of them begins.

A run keeps its last checkpoints, each the weights and what the optimizer remembers of them, and its model. That is
about a gigabyte for 13 million parameters, so that seventy runs fill a disk that one of them would hardly be seen on.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from saccade.comparison.execute import PlannedRun
from saccade.comparison.plan import PlannedSystem
from saccade.counted import counted
from saccade.errors import RunError

_NUMBER = 4
"""Bytes of a float32."""
_REMEMBERED = {"adam": 2, "schedule_free": 2, "adadelta": 2, "adagrad": 1, "nesterov": 1, "muon": 1, "sgd": 0}
"""How many numbers the optimizer has for each weight, at least."""


def kept_by(entry: PlannedSystem) -> int:
    """The bytes that a finished run of this system leaves, at least: it may also keep its best checkpoint."""
    training = entry.recipe.training
    checkpoints = min(max(training.keep_checkpoints, training.average), -(-training.steps // training.checkpoint_every))
    return entry.parameters * _NUMBER * (checkpoints * (1 + _REMEMBERED[training.optimizer]) + 1)


def require_room(waiting: Sequence[PlannedRun], out: Path) -> None:
    """An error where these runs cannot all be kept on the disk of `out`; what they hold already counts."""
    held = sum(path.stat().st_size for run in waiting for path in run.folder.rglob("*.safetensors"))
    needed = sum(kept_by(run.entry) for run in waiting) - held
    free = shutil.disk_usage(out).free
    if needed > free:
        raise RunError(
            f"the disk of `{out}` must have room for what {counted(len(waiting), 'run')} will keep, at least "
            f"{_gigabytes(needed)}, but has {_gigabytes(free)} left. Make room, choose another --out, or keep fewer "
            "checkpoints: --set training.keep_checkpoints=1."
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
