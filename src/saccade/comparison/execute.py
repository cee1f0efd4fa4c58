"""Every run of a plan, one after another or several side by side.

Each is an ordinary run: interrupted, it goes on with the same command; finished, it is left alone. The first seed of
everybody comes before the second of anybody, so that a comparison cut short still compares. A run that fails does not
stop the others.
"""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.comparison.plan import Entry, Plan
from saccade.comparison.throughput import steps_per_second
from saccade.errors import RunError, SaccadeError
from saccade.recipes.recipe import Recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import train
from saccade.runs.run_folder import finished
from saccade.training.journal import Listener

Say = Callable[[str], None]
_POLL = 0.2
_INTERRUPTED = 130
_REHEARSED = (0.03, 4.0, 30.0)
"""A rehearsal takes this share of the budget, but at least and at most so many seconds."""


@dataclass(frozen=True)
class Task:
    """One run of a comparison."""

    entry: Entry
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """How a person is told about it."""
        return f"{self.entry.contender.label}, seed {self.seed}"

    @property
    def recipe(self) -> Recipe:
        """What it trains."""
        return self.entry.seeded(self.seed)


@dataclass(frozen=True)
class Conditions:
    """Where and how many at once; `command` is what the model cards say made them."""

    device: str
    parallel: int = 1
    command: str = "saccade compare"


@dataclass(frozen=True)
class Outcome:
    """What became of the runs: whether somebody interrupted them, and why any of them failed."""

    interrupted: bool
    failures: dict[str, str]


def tasks(plan: Plan, out: Path) -> list[Task]:
    """All runs, in the order in which they are started."""
    return [
        Task(entry, seed, out / "runs" / f"{entry.contender.slug}-seed-{seed}")
        for seed in range(1, plan.request.seeds + 1)
        for entry in plan.entries
    ]


def run_all(plan: Plan, out: Path, conditions: Conditions, say: Say, listeners: Sequence[Listener] = ()) -> Outcome:
    """Trains whatever is not trained yet."""
    everything = tasks(plan, out)
    waiting = [task for task in everything if finished(task.recipe, task.folder) is None]
    if len(waiting) < len(everything):
        say(f"{len(everything) - len(waiting)} of {len(everything)} runs are finished already.")
    for task in waiting:
        share_data(out, task.folder)
    if conditions.parallel == 1:
        return _one_by_one(waiting, conditions, say, listeners)
    return _side_by_side(waiting, out, conditions, say)


def share_data(out: Path, folder: Path) -> None:
    """Lets a run look at the data of the comparison instead of making its own."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "data"
    if not place.exists():
        place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(out / "data", folder), target_is_directory=True)


def rehearsed(
    recipes: Sequence[Recipe], out: Path, conditions: Conditions, seconds: float, say: Say
) -> Sequence[float]:
    """The steps per second of each recipe, under the conditions of the runs."""
    share, least, most = _REHEARSED
    each = min(max(share * seconds, least), most)
    say(f"rehearsing {len(recipes)} systems for {each:.0f} seconds each, to know how many steps fit into the time")
    folders = [out / "rehearsals" / recipe.name for recipe in recipes]
    for folder in folders:
        share_data(out, folder)
    if conditions.parallel == 1:
        rates = [
            steps_per_second(recipe, folder, each, conditions.device)
            for recipe, folder in zip(recipes, folders, strict=True)
        ]
    else:
        rates = _rehearsed_side_by_side(recipes, folders, conditions, each)
    (out / "rehearsals").rmdir()
    return rates


def _one_by_one(waiting: Sequence[Task], conditions: Conditions, say: Say, listeners: Sequence[Listener]) -> Outcome:
    failures = {}
    for number, task in enumerate(waiting, start=1):
        say(f"run {number} of {len(waiting)}: {task.name}")
        try:
            result = train(
                task.recipe,
                task.folder,
                device=conditions.device,
                listeners=listeners,
                command=conditions.command,
            )
        except SaccadeError as error:
            failures[task.name] = str(error)
            say(f"{task.name} failed: {error}")
            continue
        if result.interrupted:
            return Outcome(True, failures)
    return Outcome(False, failures)


def _side_by_side(waiting: Sequence[Task], out: Path, conditions: Conditions, say: Say) -> Outcome:
    commands = []
    for task in waiting:
        recipe = out / "recipes" / f"{task.folder.name}.toml"
        write_recipe(task.recipe, recipe)
        program = [sys.executable, "-m", "saccade.cli.main", "train", str(recipe), "--out", str(task.folder)]
        commands.append([*program, "--device", conditions.device])
    failures: dict[str, str] = {}
    interrupted = False
    began = time.monotonic()
    logs = [task.folder / "train.log" for task in waiting]
    for done, (index, code) in enumerate(_pool(commands, logs, conditions.parallel), start=1):
        task, minutes = waiting[index], (time.monotonic() - began) / 60
        if code == _INTERRUPTED:
            interrupted = True
        elif code:
            failures[task.name] = _last_line(logs[index])
            say(f"{task.name} failed: {failures[task.name]}")
        else:
            say(f"{done} of {len(waiting)} after {minutes:.1f} minutes: {task.name}: {_reached(task)}")
    return Outcome(interrupted, failures)


def _pool(commands: Sequence[Sequence[str]], logs: Sequence[Path], parallel: int) -> Iterator[tuple[int, int]]:
    """Runs programs, at most so many at once, and tells the number and exit code of each as it ends.

    Ctrl-C reaches them all: each saves where it stands, and nothing further is started.
    """
    environment = dict(os.environ)
    environment.setdefault("OMP_NUM_THREADS", str(max((os.cpu_count() or 1) // parallel, 1)))
    waiting = list(enumerate(commands))
    under_way: dict[int, subprocess.Popen[bytes]] = {}
    stopped = False
    while waiting or under_way:
        try:
            while waiting and len(under_way) < parallel and not stopped:
                index, command = waiting.pop(0)
                with logs[index].open("ab") as log:
                    log.write(f"$ {shlex.join(command)}\n".encode())
                    log.flush()
                    under_way[index] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
            time.sleep(_POLL)
            for index, process in list(under_way.items()):
                if process.poll() is not None:
                    del under_way[index]
                    yield index, process.returncode
        except KeyboardInterrupt:
            stopped = True
            waiting.clear()


def _rehearsed_side_by_side(
    recipes: Sequence[Recipe], folders: Sequence[Path], conditions: Conditions, seconds: float
) -> list[float]:
    commands, logs = [], []
    for recipe, folder in zip(recipes, folders, strict=True):
        place = folder.with_suffix(".toml")
        write_recipe(recipe, place)
        program = [sys.executable, "-m", "saccade.comparison.throughput"]
        commands.append([*program, str(place), str(folder), str(seconds), conditions.device])
        logs.append(folder.with_suffix(".log"))
    rates = [0.0] * len(recipes)
    for index, code in _pool(commands, logs, conditions.parallel):
        if code:
            raise RunError(f"{recipes[index].name} must train to be compared, but: {_last_line(logs[index])}")
        rates[index] = float(_last_line(logs[index]))
    for leftover in (*logs, *(folder.with_suffix(".toml") for folder in folders)):
        leftover.unlink()
    return rates


def _reached(task: Task) -> str:
    """What a finished run says about itself: its steps, and the scores of its last split."""
    result = finished(task.recipe, task.folder)
    assert result is not None, "a program that ends well has finished its run"
    *_, (split, scores) = result.scores.items()
    return f"{result.steps:,} steps, {split} " + ", ".join(f"{name} {value:.2f}" for name, value in scores.items())


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "nothing was said"
