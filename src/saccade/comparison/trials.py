"""Runs the trials of a sweep, one after another or several side by side.

A trial trains for its steps, and then the likelihood of the validation set is measured; nothing is translated. What it
found is left in a small file, and nothing else of it:

    sweep/
      plan.json recipes/ data/    as those of a comparison
      runs/NAME/                  the run while it goes on; one that was stopped or has failed stays
      found/NAME.json             the perplexity, or why there is none

A trial that was stopped goes on where it was. One that failed is not trained again, or else what a sweep chooses could
change when the same command is given once more; without its file in found/ it is.

The command `python -m saccade.comparison.trials RECIPE FOLDER DEVICE` runs one of them.
"""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from saccade.comparison.execute import INTERRUPTED, ExecutionSettings, Say, pool, share_data, why_it_failed
from saccade.comparison.plan import Plan, PlannedSystem
from saccade.comparison.system_spec import SystemSpec
from saccade.errors import RunError, SaccadeError
from saccade.folders import atomic_write
from saccade.json_files import StrictContent, checked, read_json
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import train
from saccade.training.interruption import StopTraining
from saccade.training.journal import Listener, read_journal
from saccade.training.lock import run_lock

FORMAT = 1


@dataclass
class TrialResults:
    """The perplexity of every trial that ended well, and whether somebody stopped them."""

    perplexities: dict[SystemSpec, float] = field(default_factory=dict)
    interrupted: bool = False


class _Found(StrictContent):
    """found/NAME.json."""

    format: int = FORMAT
    perplexity: float | None = None
    failure: str | None = None


class _Ended(StopTraining):
    """Raised to end a run at its last validation: its model is not wanted."""


def run_trials(
    plan: Plan, out: Path, settings: ExecutionSettings, say: Say, listeners: Sequence[Listener], report_only: bool
) -> TrialResults:
    """Runs what was not run before, unless `report_only`."""
    if report_only:
        return _known(plan, out, say)
    with run_lock(out, datetime.now().astimezone()):
        results = _known(plan, out, say)
        waiting = []
        for entry in plan.entries:
            if entry.spec in results.perplexities:
                _remove_run(out, entry)
            elif not _place(out, entry).is_file():
                waiting.append(entry)
                _begin(out, entry)
        if waiting and len(waiting) < len(plan.entries):
            say(f"{len(plan.entries) - len(waiting)} of {len(plan.entries)} trials have ended already.")
        if settings.parallel == 1:
            _one_by_one(waiting, out, settings, say, listeners, results)
        else:
            _side_by_side(waiting, out, settings, say, results)
        return results


def _known(plan: Plan, out: Path, say: Say) -> TrialResults:
    """What was found before."""
    results = TrialResults()
    for entry in plan.entries:
        if (place := _place(out, entry)).is_file():
            found = _read(place)
            if found.perplexity is None:
                say(f"{entry.spec.label} failed before: {found.failure} To run it again, remove {place}.")
            else:
                results.perplexities[entry.spec] = found.perplexity
    return results


def _one_by_one(
    waiting: Sequence[PlannedSystem],
    out: Path,
    settings: ExecutionSettings,
    say: Say,
    listeners: Sequence[Listener],
    results: TrialResults,
) -> None:
    for number, entry in enumerate(waiting, start=1):
        say(f"trial {number} of {len(waiting)}: {entry.spec.label}")
        try:
            perplexity = perplexity_after(entry.recipe, _folder(out, entry), settings.device, listeners)
        except SaccadeError as error:
            _failed(out, entry, str(error), say)
            continue
        if perplexity is None:
            results.interrupted = True
            return
        results.perplexities[entry.spec] = perplexity
        say(f"{entry.spec.label}: perplexity {perplexity:.2f}")


def _side_by_side(
    waiting: Sequence[PlannedSystem], out: Path, settings: ExecutionSettings, say: Say, results: TrialResults
) -> None:
    commands, logs = [], []
    for entry in waiting:
        recipe = out / "recipes" / f"{entry.spec.slug}.toml"
        write_recipe(entry.recipe, recipe)
        base = [sys.executable, "-m", "saccade.comparison.trials"]
        commands.append([*base, str(recipe), str(_folder(out, entry)), settings.device])
        logs.append(_log(out, entry))
    for done, (index, code) in enumerate(pool(commands, logs, settings.parallel), start=1):
        entry = waiting[index]
        if code == INTERRUPTED:
            results.interrupted = True
        elif code:
            _failed(out, entry, why_it_failed(code, logs[index]), say)
        else:
            perplexity = _read(_place(out, entry)).perplexity
            assert perplexity is not None, "a process with exit code 0 has found one"
            results.perplexities[entry.spec] = perplexity
            logs[index].unlink()
            say(f"{done} of {len(waiting)}: {entry.spec.label}: perplexity {perplexity:.2f}")


def perplexity_after(
    recipe: Recipe, folder: Path, device: str | None, listeners: Sequence[Listener] = ()
) -> float | None:
    """The perplexity of the validation set after all steps of the recipe, written down; None if it was interrupted.

    The folder is the run's own, where the prepared data may be already, and is removed when it has ended.
    """
    validated = False

    def end(event: Mapping[str, Any]) -> None:
        nonlocal validated
        if event["event"] == "validation" and event["step"] == recipe.training.steps:
            validated = True
            raise _Ended

    try:
        if train(recipe, folder, device=device, listeners=(*listeners, end), likelihood_only=True).interrupted:
            return None
    except _Ended:
        pass
    except KeyboardInterrupt:
        if validated:  # nothing is left to do, and there is no checkpoint to do it from
            with suppress(RunError):
                _write_down(folder)
        raise
    return _write_down(folder)


def _write_down(folder: Path) -> float:
    """The perplexity that the journal of a run has last, which is all that is kept of the run."""
    *_, last = (event for event in read_journal(folder / "journal.jsonl") if event["event"] == "validation")
    if last["loss"] is None:  # of an infinite loss the perplexity is a number all the same
        raise RunError("the likelihood of the validation set must be finite after the last step, but is not.")
    _write(folder.parent.parent / "found" / f"{folder.name}.json", _Found(perplexity=last["perplexity"]))
    shutil.rmtree(folder)  # the data are only a link
    return float(last["perplexity"])


def _begin(out: Path, entry: PlannedSystem) -> None:
    """Makes the folder of a trial, or finds the one that was stopped, which must be free.

    A process may have outlived its command, and what cannot lock the folder would look like a trial that failed.
    """
    folder = _folder(out, entry)
    share_data(out, folder)
    with run_lock(folder, datetime.now().astimezone()):
        pass


def _remove_run(out: Path, entry: PlannedSystem) -> None:
    """Removes what a kill has left of a trial that had ended."""
    shutil.rmtree(_folder(out, entry), ignore_errors=True)  # the data are only a link
    _log(out, entry).unlink(missing_ok=True)


def _failed(out: Path, entry: PlannedSystem, reason: str, say: Say) -> None:
    _write(_place(out, entry), _Found(failure=reason))
    say(f"{entry.spec.label} failed: {reason}")


def _folder(out: Path, entry: PlannedSystem) -> Path:
    return out / "runs" / entry.spec.slug


def _log(out: Path, entry: PlannedSystem) -> Path:
    return out / "runs" / f"{entry.spec.slug}.log"


def _place(out: Path, entry: PlannedSystem) -> Path:
    return out / "found" / f"{entry.spec.slug}.json"


def _write(place: Path, found: _Found) -> None:
    place.parent.mkdir(exist_ok=True)
    atomic_write(place, json.dumps(found.model_dump(exclude_none=True)))


def _read(place: Path) -> _Found:
    advice = "Remove it, and the trial is run again."
    return checked(_Found, read_json(place, FORMAT, advice), place, advice)


def main(recipe: str, folder: str, device: str) -> None:
    """Runs one trial."""
    try:
        if perplexity_after(load_recipe(recipe), Path(folder), device) is None:
            sys.exit(INTERRUPTED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SaccadeError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
