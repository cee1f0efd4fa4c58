"""Every run of a plan, one after another or several side by side.

Each is an ordinary run: interrupted, it goes on with the same command; finished, it is left alone. The first seed of
every system comes before any second seed, so that an interrupted comparison still compares all; side by side, long runs
begin before short ones. A run that fails does not stop the others.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from saccade.comparison.plan import Plan, PlannedSystem
from saccade.comparison.throughput import steps_per_second
from saccade.cores import usable_cores
from saccade.counted import counted
from saccade.data.progress import estimate_in_words
from saccade.errors import SaccadeError
from saccade.recipes.recipe import Recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import train
from saccade.runs.run_folder import finished
from saccade.training.journal import Listener

Say = Callable[[str], None]
_POLL = 0.2
INTERRUPTED = 130
"""The exit code of a process that Ctrl-C has stopped."""
_MEASURING_TIME = (0.03, 4.0, 30.0)
"""Measuring the throughput takes this share of the budget, but at least and at most so many seconds."""


@dataclass(frozen=True)
class PlannedRun:
    """One run of a comparison."""

    entry: PlannedSystem
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """As messages name it."""
        return f"{self.entry.spec.label}, seed {self.seed}"

    @property
    def recipe(self) -> Recipe:
        """What it trains."""
        return self.entry.seeded(self.seed)


@dataclass(frozen=True)
class ExecutionSettings:
    """On which device, and how many runs at once; `command` is written into the model cards."""

    device: str
    parallel: int = 1
    command: str = "saccade compare"


@dataclass(frozen=True)
class ExecutionResult:
    """Whether the runs were interrupted, and why any of them failed."""

    interrupted: bool
    failures: dict[str, str]


def planned_runs(plan: Plan, out: Path) -> list[PlannedRun]:
    """All runs, seed by seed; the recipe's own seed is the first."""
    first = plan.base.training.seed
    return [
        PlannedRun(entry, seed, out / "runs" / f"{entry.spec.slug}-seed-{seed}")
        for seed in range(first, first + plan.request.seeds)
        for entry in plan.entries
    ]


def unfinished(runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Those that are still to be trained, or to be trained on."""
    return [run for run in runs if finished(run.recipe, run.folder) is None]


def run_all(
    plan: Plan, out: Path, settings: ExecutionSettings, say: Say, listeners: Sequence[Listener] = ()
) -> ExecutionResult:
    """Trains whatever is not trained yet."""
    everything = planned_runs(plan, out)
    waiting = unfinished(everything)
    if len(waiting) < len(everything):
        say(f"{len(everything) - len(waiting)} of {len(everything)} runs are finished already.")
    for run in waiting:
        share_data(out, run.folder)
    if settings.parallel == 1:
        return _one_by_one(waiting, settings, say, listeners)
    return _side_by_side(waiting, out, settings, say)


def share_data(out: Path, folder: Path) -> None:
    """Links a run to the prepared data of the comparison."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "data"
    if not place.exists():
        place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(out / "data", folder), target_is_directory=True)


def measured_throughput(
    recipes: Sequence[Recipe], out: Path, settings: ExecutionSettings, seconds: float, say: Say
) -> Sequence[float]:
    """The steps per second of each recipe, alone on the machine, whatever the number of real runs at once.

    Side by side, a system of many small operations loses less than one that fills the machine: equal time would not
    mean what it says.
    """
    share, least, most = _MEASURING_TIME
    each = min(max(share * seconds, least), most)
    say(f"measuring the throughput of {len(recipes)} systems for {each:.0f} seconds each, to plan the number of steps")
    rates = []
    for recipe in recipes:
        folder = out / "throughput" / recipe.name
        share_data(out, folder)
        rates.append(steps_per_second(recipe, folder, each, settings.device))
    (out / "throughput").rmdir()
    return rates


def _one_by_one(
    waiting: Sequence[PlannedRun], settings: ExecutionSettings, say: Say, listeners: Sequence[Listener]
) -> ExecutionResult:
    failures = {}
    began = time.monotonic()
    for number, run in enumerate(waiting, start=1):
        each = (time.monotonic() - began) / max(number - 1, 1)
        left = f"; {estimate_in_words(each * (len(waiting) - number + 1))} left" if number > 1 else ""
        say(f"run {number} of {len(waiting)}: {run.name}{left}")
        try:
            result = train(
                run.recipe,
                run.folder,
                device=settings.device,
                listeners=listeners,
                command=settings.command,
            )
        except SaccadeError as error:
            failures[run.name] = str(error)
            say(f"{run.name} failed: {error}")
            continue
        if result.interrupted:
            return ExecutionResult(True, failures)
    return ExecutionResult(False, failures)


def longest_first(runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Within each seed the runs with the most operations come first: begun last, they would be waited for alone."""

    def work(run: PlannedRun) -> float:
        return run.recipe.training.steps * run.entry.tokens_per_step * run.entry.operations.training

    return sorted(runs, key=lambda run: (run.seed, -work(run)))


def _side_by_side(runs: Sequence[PlannedRun], out: Path, settings: ExecutionSettings, say: Say) -> ExecutionResult:
    waiting, commands = longest_first(runs), []
    for run in waiting:
        recipe = out / "recipes" / f"{run.folder.name}.toml"
        write_recipe(run.recipe, recipe)
        base = [sys.executable, "-m", "saccade.cli.main", "train", str(recipe), "--out", str(run.folder)]
        commands.append([*base, "--device", settings.device])
    failures: dict[str, str] = {}
    interrupted = False
    began = time.monotonic()
    logs = [run.folder / "train.log" for run in waiting]
    for done, (index, code) in enumerate(pool(commands, logs, settings.parallel), start=1):
        run, minutes = waiting[index], (time.monotonic() - began) / 60
        if code == INTERRUPTED:
            interrupted = True
        elif code:
            failures[run.name] = why_it_failed(code, logs[index])
            say(f"{run.name} failed: {failures[run.name]}")
        else:
            say(f"{done} of {len(waiting)} after {minutes:.1f} minutes: {run.name}: {_reached(run)}")
    return ExecutionResult(interrupted, failures)


def pool(commands: Sequence[Sequence[str]], logs: Sequence[Path], parallel: int) -> Iterator[tuple[int, int]]:
    """Runs commands, at most so many at once; yields the index and exit code of each as it ends.

    Ctrl-C reaches them all, and SIGTERM is passed on to them: each saves a checkpoint, and no further one is started.
    From then on whatever does not end well was interrupted, also what was hit while it was still importing, and what
    was never started.
    """
    environment = dict(os.environ)
    environment.setdefault("OMP_NUM_THREADS", str(max(usable_cores() // parallel, 1)))
    waiting = list(enumerate(commands))
    running: dict[int, subprocess.Popen[bytes]] = {}
    stopped = False
    previous = _on_termination(_interrupt)
    try:
        while running or (waiting and not stopped):
            try:
                while waiting and len(running) < parallel and not stopped:
                    index, command = waiting[0]
                    with logs[index].open("ab") as log:
                        log.write(f"$ {shlex.join(command)}\n".encode())
                        log.flush()
                        running[index] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
                    del waiting[0]
                time.sleep(_POLL)
                for index, process in list(running.items()):
                    if process.poll() is not None:
                        del running[index]
                        yield index, INTERRUPTED if stopped and process.returncode else process.returncode
            except KeyboardInterrupt as request:
                stopped = True
                if isinstance(request, _Terminated):
                    for process in running.values():
                        process.terminate()
                waiting = [(index, command) for index, command in waiting if index not in running]
        for index, _ in waiting:
            yield index, INTERRUPTED
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.wait()
        _on_termination(previous)


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which reaches this process alone."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _on_termination(handler: Any) -> Any:
    """Puts a handler of SIGTERM in the place of the one that is returned; only the main thread may."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, handler)


def _reached(run: PlannedRun) -> str:
    """The steps of a finished run, and the scores of its last split."""
    result = finished(run.recipe, run.folder)
    assert result is not None, "a process with exit code 0 has finished its run"
    *_, (split, scores) = result.scores.items()
    return f"{counted(result.steps, 'step')}, {split} " + ", ".join(
        f"{name} {value:.2f}" for name, value in scores.items()
    )


def why_it_failed(code: int, log: Path) -> str:
    """What a process said last; one that a signal has ended could say nothing."""
    if code < 0:
        return (
            f"its process must end by itself, but was ended by signal {-code} ({signal.strsignal(-code)}). "
            "If memory ran out, give a smaller --parallel."
        )
    # Above the line of its command an earlier process may have spoken.
    *_, own = re.split(r"^\$ .*$", log.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)
    lines = [line for line in own.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "no message"
