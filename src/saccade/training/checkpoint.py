"""The checkpoints of a run: written atomically, verified when read, pruned, and averaged at the end."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from pydantic import NonNegativeInt
from torch import Tensor, nn

from saccade.errors import FormatError, InputError, RunError
from saccade.folders import remove_folder, remove_partial
from saccade.json_files import StrictContent, checked
from saccade.tensor_files import STATE, read_state, read_tensors, write_sealed, written_files
from saccade.training.optimizer import optimizer_state, restore_optimizer_state
from saccade.training.progress import TrainingProgress
from saccade.weights import restore_weights, weights_of

_FILES = {"weights.safetensors", "optimizer.safetensors", STATE}
_NAME = re.compile("step-([0-9]{6}|[1-9][0-9]{6,})")


@dataclass(frozen=True)
class CheckpointState:
    """What a checkpoint holds besides tensors.

    `scheduled` tells the checkpoints of the plan from those that an interruption, a good validation or the end of the
    run left between them: averaging takes only the scheduled ones and the last, so a run that was interrupted, or ended
    and was then given more steps, averages the same ones as the unbroken run.
    `journal` is the length of the journal in bytes at that moment.
    """

    progress: TrainingProgress
    journal: int
    scheduled: bool


class _StateFile(StrictContent):
    """state.json of a checkpoint."""

    format: int
    standing: TrainingProgress
    journal: NonNegativeInt
    scheduled: bool
    files: dict[str, str]
    seal: str


class Checkpoints:
    """The folder checkpoints/ of a run: step-000500/{weights.safetensors, optimizer.safetensors, state.json}."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = keep

    def steps(self) -> list[int]:
        """The steps of all checkpoints, oldest first."""
        found = (_NAME.fullmatch(path.name) for path in self.folder.glob("step-*"))
        steps = (int(name[1]) for name in found if name)
        return sorted(step for step in steps if any((self.at(step) / file).exists() for file in _FILES))

    def at(self, step: int) -> Path:
        """The folder of the checkpoint of a step."""
        return self.folder / f"step-{step:06d}"

    def save(self, model: nn.Module, optimizer: torch.optim.Optimizer, state: CheckpointState) -> None:
        """Writes a checkpoint, then removes those that are no longer needed."""
        content = {"standing": state.progress.as_json(), "journal": state.journal, "scheduled": state.scheduled}
        tensors = {"weights": weights_of(model), "optimizer": optimizer_state(optimizer, model)}
        last_good = self.last_good
        try:
            write_sealed(self.at(state.progress.step), tensors, content)
        except RunError as problem:
            raise RunError(f"{problem} {last_good} Make room and run the same command again.") from problem
        self._prune(state)

    def restore(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> CheckpointState | None:
        """Loads the newest checkpoint into model and optimizer; None when there is none."""
        steps = self.steps()
        if not steps:
            return None
        newest = self.at(steps[-1])
        try:
            state = read_checkpoint_state(newest)
            weights, moments = read_tensors(newest, "weights"), read_tensors(newest, "optimizer")
        except FormatError as problem:
            older = f"continues from step {steps[-2]}" if len(steps) > 1 else "starts from the beginning"
            raise FormatError(f"{problem} Remove {newest}, and the same command {older}.") from problem
        restore_weights(model, weights)
        restore_optimizer_state(optimizer, model, moments)
        return state

    def remove_partial(self) -> None:
        """Removes what a process killed while writing has left, one of an earlier version too."""
        remove_partial(self.folder)
        for leftover in self.folder.glob(".step-*.partial*"):
            if {path.name for path in leftover.iterdir()} <= _FILES:
                shutil.rmtree(leftover)

    def recent(self, count: int) -> list[Path]:
        """The newest checkpoint and the scheduled ones before it, oldest first: what averaging takes."""
        steps = self.steps()
        scheduled = [step for step in steps[:-1] if read_checkpoint_state(self.at(step)).scheduled]
        return [self.at(step) for step in [*scheduled, *steps[-1:]][-count:]]

    @property
    def last_good(self) -> str:
        """Which checkpoint a failed run can resume from, as a sentence."""
        steps = self.steps()
        return f"The last good checkpoint is step {steps[-1]}." if steps else "There is no checkpoint yet."

    def _prune(self, newest: CheckpointState) -> None:
        step, best = newest.progress.step, newest.progress.best
        kept = {step, *([best.step] if best else [])}
        others = [other for other in self.steps() if other not in kept]
        scheduled = [other for other in self.steps() if other == step or self._is_scheduled(other)]
        for other in set(others) - set(scheduled[-self.keep :]):
            remove_folder(self.at(other), written_files)

    def _is_scheduled(self, step: int) -> bool:
        try:
            return read_checkpoint_state(self.at(step)).scheduled
        except FormatError:
            return True  # a damaged one is kept as long as a sound one would be, for a person to look at


def read_checkpoint_state(folder: Path) -> CheckpointState:
    """What a checkpoint holds besides tensors."""
    state = checked(_StateFile, read_state(folder), folder / STATE)
    return CheckpointState(state.standing, journal=state.journal, scheduled=state.scheduled)


def read_weights(folder: Path) -> Mapping[str, Tensor]:
    """The weights of a checkpoint, verified."""
    return read_tensors(folder, "weights")


def average_checkpoints(folders: Sequence[Path]) -> dict[str, Tensor]:
    """The arithmetic mean of each tensor over checkpoints (Vaswani et al. 2017, section 6.1).

    Summed in float64 and rounded once, so that the order of the checkpoints makes no difference. One checkpoint is held
    in memory at a time.
    """
    if not folders:
        raise InputError("`folders` must name at least one checkpoint, but is empty.")
    first = read_weights(folders[0])
    sums = {name: tensor.double() for name, tensor in first.items()}
    for folder in folders[1:]:
        weights = read_weights(folder)
        if {name: tensor.shape for name, tensor in weights.items()} != {n: s.shape for n, s in sums.items()}:
            raise InputError(f"{folder} must hold the same tensors as {folders[0]}, but holds others.")
        for name, tensor in weights.items():
            sums[name] += tensor
    with torch.no_grad():
        return {name: (total / len(folders)).to(first[name].dtype) for name, total in sums.items()}
