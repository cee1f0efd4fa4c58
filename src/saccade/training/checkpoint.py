"""The checkpoints of a run: saved whole, checked when read, and only as many kept as are needed."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from saccade.errors import FormatError, RunError
from saccade.tensor_files import read_state, read_tensors, write_sealed
from saccade.training.optimizer import moments_of, restore_moments
from saccade.training.progress import Standing
from saccade.weights import restore_weights, weights_of


@dataclass(frozen=True)
class Saved:
    """What a checkpoint holds besides tensors.

    `scheduled` tells the checkpoints of the plan from those an interruption or a good validation left between them:
    averaging takes only the planned ones, so an interrupted run averages what the unbroken run averages.
    `journal` is the length of the journal in bytes at that moment.
    """

    standing: Standing
    journal: int
    scheduled: bool


class Checkpoints:
    """The folder checkpoints/ of a run: step-000500/{weights.safetensors, optimizer.safetensors, state.json}."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = keep

    def steps(self) -> list[int]:
        """The steps of all checkpoints, oldest first."""
        return sorted(int(path.name.removeprefix("step-")) for path in self.folder.glob("step-[0-9]*"))

    def at(self, step: int) -> Path:
        """The folder of the checkpoint of a step."""
        return self.folder / f"step-{step:06d}"

    def save(self, model: nn.Module, optimizer: torch.optim.Optimizer, saved: Saved) -> None:
        """Writes a checkpoint, then removes those that are no longer needed."""
        step = saved.standing.step
        state = {"standing": saved.standing.as_json(), "journal": saved.journal, "scheduled": saved.scheduled}
        tensors = {"weights": weights_of(model), "optimizer": moments_of(optimizer, model)}
        good = self.steps()
        try:
            write_sealed(self.at(step), tensors, state)
        except RunError as problem:
            raise RunError(f"{problem} {_last_good(good)} Make room and run the same command again.") from problem
        self._prune(saved)

    def restore(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> Saved | None:
        """Puts the newest checkpoint into model and optimizer; None when there is none."""
        steps = self.steps()
        if not steps:
            return None
        newest = self.at(steps[-1])
        try:
            saved = read_saved(newest)
            weights, moments = read_tensors(newest, "weights"), read_tensors(newest, "optimizer")
        except FormatError as problem:
            older = f"continues from step {steps[-2]}" if len(steps) > 1 else "starts from the beginning"
            raise FormatError(f"{problem} Remove {newest}, and the same command {older}.") from problem
        restore_weights(model, weights)
        restore_moments(optimizer, model, moments)
        return saved

    def remove_partial(self) -> None:
        """Clears away what a kill in the middle of writing left."""
        for leftover in self.folder.glob(".*.partial"):
            shutil.rmtree(leftover)

    def recent(self, count: int) -> list[Path]:
        """The last planned checkpoints, oldest first: what averaging takes."""
        planned = [step for step in self.steps() if read_saved(self.at(step)).scheduled]
        return [self.at(step) for step in planned[-count:]]

    def best(self) -> Path | None:
        """The checkpoint of the best validation so far."""
        steps = self.steps()
        best = read_saved(self.at(steps[-1])).standing.best if steps else None
        return self.at(best.step) if best and best.step in steps else None

    def _prune(self, newest: Saved) -> None:
        kept = {newest.standing.step, *([newest.standing.best.step] if newest.standing.best else [])}
        others = [step for step in self.steps() if step not in kept]
        planned = [step for step in self.steps() if step == newest.standing.step or self._is_planned(step)]
        for step in set(others) - set(planned[-self.keep :]):
            shutil.rmtree(self.at(step))

    def _is_planned(self, step: int) -> bool:
        try:
            return read_saved(self.at(step)).scheduled
        except FormatError:
            return True  # a damaged one is left for a person to look at, as long as its turn lasts


def read_saved(folder: Path) -> Saved:
    """What a checkpoint holds besides tensors."""
    state = read_state(folder)
    return Saved(Standing.from_json(state["standing"]), journal=state["journal"], scheduled=state["scheduled"])


def read_weights(folder: Path) -> Mapping[str, Tensor]:
    """The weights of a checkpoint, checked."""
    return read_tensors(folder, "weights")


def _last_good(steps: list[int]) -> str:
    return f"The last good checkpoint is step {steps[-1]}." if steps else "There is no checkpoint yet."
