"""Whether resuming is exact: a run that was killed and continued must end bit for bit like an uninterrupted one.

The same recipe is run twice, each time in processes of its own. One run goes through; the other kills itself with
SIGKILL after a step between two checkpoints, so that nothing can be cleaned up, and is then started again by the same
command. Weights, optimizer moments, losses and scores of the two are compared as they are on disk.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from saccade.errors import ConfigError, RunError
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run_folder import read_result
from saccade.training.checkpoint import Checkpoints
from saccade.training.journal import read_journal, repeatable

DEFAULT_STEPS = 40


@dataclass(frozen=True)
class VerifyReport:
    """What was compared, and the first difference if there is one."""

    steps: int
    killed_after: int
    continued_from: int
    tensors: int
    events: int
    difference: str | None

    @property
    def exact(self) -> bool:
        """Whether the two runs ended with the same bits."""
        return self.difference is None

    def __str__(self) -> str:
        did = (
            f"killed after step {self.killed_after}, continued from step {self.continued_from}, "
            f"ended at step {self.steps}"
        )
        if self.difference is None:
            return f"exact: {did}; {self.tensors} tensors and {self.events} journal lines are bit-identical."
        return f"NOT exact: {did}; first difference: {self.difference}."


def verify_resume(
    recipe: Recipe | str | Path,
    *,
    steps: int = DEFAULT_STEPS,
    overrides: tuple[str, ...] = (),
    device: str | None = None,
) -> VerifyReport:
    """Trains for a few steps twice, once with a kill in the middle, and compares what is left on disk."""
    if steps < 8:
        raise ConfigError(f"`steps` must be at least 8, so that a kill fits between two checkpoints, but is {steps}.")
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    every = steps // 4
    kill_after = 2 * every + max(every // 2, 1)
    chosen = chosen.with_overrides([*_shortened(steps, every), *overrides]).with_absolute_paths()
    with tempfile.TemporaryDirectory(prefix="saccade-verify-") as temporary:
        folder = Path(temporary)
        write_recipe(chosen, folder / "recipe.toml")
        uninterrupted, killed = folder / "uninterrupted", folder / "killed"
        _run(folder / "recipe.toml", uninterrupted, device)
        killed.mkdir()
        (killed / "data").symlink_to(uninterrupted / "data")  # the same text need not be encoded twice
        _run(folder / "recipe.toml", killed, device, kill_after)
        continued_from = max(Checkpoints(killed / "checkpoints", keep=1).steps(), default=0)
        _run(folder / "recipe.toml", killed, device)
        tensors, difference = _compare_tensors(uninterrupted, killed)
        events, other = _compare_journals(uninterrupted, killed)
        scores = _compare_results(uninterrupted, killed)
        return VerifyReport(steps, kill_after, continued_from, tensors, events, difference or other or scores)


def _shortened(steps: int, every: int) -> list[str]:
    """A short run in which journal lines, validations and checkpoints all fall on different steps."""
    return [
        f"training.steps={steps}",
        f"training.checkpoint_every={every}",
        f"training.validate_every={every + 1}",
        f"training.journal_every={max(every - 1, 1)}",
        "training.average=2",
        "training.keep_checkpoints=3",
        "training.minutes=none",
        "training.patience=none",
    ]


def _run(recipe: Path, out: Path, device: str | None, kill_after: int | None = None) -> None:
    asked = {"recipe": str(recipe), "out": str(out), "device": device, "kill_after": kill_after, "parent": os.getpid()}
    arguments = json.dumps(asked)
    done = subprocess.run(
        [sys.executable, "-m", "saccade.runs.verify_resume", arguments], capture_output=True, text=True, check=False
    )
    expected = 0 if kill_after is None else -signal.SIGKILL
    if done.returncode != expected:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise RunError(f"a run of the verification must end with exit code {expected}, but did not: {last[0]}")


def _compare_tensors(uninterrupted: Path, killed: Path) -> tuple[int, str | None]:
    """The last checkpoint (weights and moments) and the finished model."""
    compared = 0
    checkpoints = Checkpoints(uninterrupted / "checkpoints", keep=1)
    last = checkpoints.at(checkpoints.steps()[-1]).name
    for name in (f"checkpoints/{last}/weights", f"checkpoints/{last}/optimizer", "model/weights"):
        one, other = (folder / f"{name}.safetensors" for folder in (uninterrupted, killed))
        if not other.is_file():
            return compared, f"{name} is missing"
        expected, found = load_file(one), load_file(other)
        if expected.keys() != found.keys():
            return compared, f"{name} holds other tensors"
        for key, tensor in expected.items():
            compared += 1
            if tensor.dtype != found[key].dtype or not torch.equal(_bits(tensor), _bits(found[key])):
                return compared, f"tensor {key} of {name}"
    return compared, None


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)  # so that NaN equals itself and -0 is not 0


def _compare_journals(uninterrupted: Path, killed: Path) -> tuple[int, str | None]:
    compared = 0
    for expected, found in zip_longest(_events(uninterrupted), _events(killed)):
        if expected != found:
            return compared, f"journal line {compared + 1}: {expected} against {found}"
        compared += 1
    return compared, None


def _events(folder: Path) -> Iterator[Mapping[str, Any]]:
    yield from repeatable(read_journal(folder / "journal.jsonl"))


def _compare_results(uninterrupted: Path, killed: Path) -> str | None:
    expected, found = read_result(uninterrupted), read_result(killed)
    return None if expected == found else f"scores: {expected.scores} against {found.scores}"


def _main(recipe: str, out: str, device: str | None, kill_after: int | None, parent: int) -> None:
    """One of the runs, in a process of its own."""
    from saccade.runs.run import train

    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()

    def kill(event: Mapping[str, Any]) -> None:
        if event["event"] == "step" and event["step"] == kill_after:
            os.kill(os.getpid(), signal.SIGKILL)

    train(recipe, out, device=device, listeners=(kill,))


def _end_with(parent: int) -> None:
    """Ends this process when its parent has gone: Ctrl-C may reach the parent before it knows that it has a child."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    _main(**json.loads(sys.argv[1]))
