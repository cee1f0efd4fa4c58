"""Trains all runs of a comparison: plans them, after a sweep where one is asked for, and trains what is not finished.

Called again with the same request, it continues. Nothing is measured or reported here; `compare.py` does that.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from saccade.comparison.disk_space import require_room
from saccade.comparison.execute import (
    ExecutionResult,
    ExecutionSettings,
    Say,
    measured_throughput,
    planned_runs,
    run_all,
    share_data,
    unfinished,
)
from saccade.comparison.finished_run import FinishedRun, read_finished_run
from saccade.comparison.plan import ComparisonRequest, Plan, base_recipe, check_systems, make_plan
from saccade.comparison.sweep import ROUNDS, Sweep, Trial, check_sweep, first_round, found, short_request
from saccade.comparison.system_spec import SystemSpec
from saccade.comparison.trials import run_trials
from saccade.counted import counted
from saccade.data.config import DataConfig, files_for_testing
from saccade.data.parallel_text import PairFiles
from saccade.data.prepare import prepare
from saccade.data.prepared_corpus import Prepared
from saccade.data.progress import estimate_in_words
from saccade.errors import ConfigError, FormatError, InputError, RunError
from saccade.folders import names_in, usable
from saccade.json_files import read_json
from saccade.recipes.recipe import Recipe
from saccade.runs.final_model import held_out_pairs
from saccade.runs.refusal import removing_made_folders
from saccade.runs.run_folder import finished
from saccade.training.journal import Listener

_ENTRIES = {"plan.json", "recipes", "data", "throughput", "runs", "sweep", "report.json", "report.html", "figures"}


@dataclass(frozen=True)
class Trained:
    """What a plan has come to: its finished runs, and why any of the others failed."""

    plan: Plan
    records: list[tuple[SystemSpec, FinishedRun]]
    failures: dict[str, str]
    interrupted: bool = False
    sweep: Sweep | None = None

    def raise_failures(self, page: Path) -> None:
        """An error where any run has failed; the report, which is about the others, is there already."""
        if self.failures:
            raise RunError(
                f"all runs must end well, but {len(self.failures)} did not: {_first(self.failures)} "
                f"The report is about the others: {page}"
            )


def train_all(
    request: ComparisonRequest,
    out: Path,
    settings: ExecutionSettings,
    *,
    say: Say,
    listeners: Sequence[Listener],
    report_only: bool,
) -> Trained:
    """Plans the runs and trains those that are not finished; `report_only`: reads those that are."""
    base = base_recipe(request.recipe, request.overrides)
    _check(request, base, out, settings, report_only)
    with removing_made_folders(out):
        out.mkdir(parents=True, exist_ok=True)
        training = _Training(request, prepare(base.data, out / "data"), out, settings, say, listeners, report_only)
        if request.sweep is None:
            plan, trials = training.plan_runs(request), []
        else:
            trials = first_round(request, base, training.prepared)
            share_data(out, out / "sweep")
            plan = training.plan_trials(trials)
    if request.sweep is None:
        return training.run(plan)
    sweep = training.sweep(trials)
    if sweep is None:
        return Trained(plan, [], {}, interrupted=True)
    plan = training.plan_runs(replace(request, systems=sweep.systems))
    return replace(training.run(plan), sweep=sweep)


def _check(request: ComparisonRequest, base: Recipe, out: Path, settings: ExecutionSettings, report_only: bool) -> None:
    """Refuses what can be known to be wrong before anything is written."""
    if request.seeds < 1:
        raise ConfigError(f"`--seeds` must be 1 or more, but is {request.seeds}.")
    if settings.parallel < 1:
        raise ConfigError(f"`--parallel` must be 1 or more, but is {settings.parallel}.")
    usable(out, written_files)
    if report_only and not (out / "plan.json").is_file():
        raise RunError(
            f"at least one run must be finished to be reported, but `{out}` holds no comparison. Train first."
        )
    test_files(base.data)
    check_systems(request)
    check_sweep(request)
    for files in files_for_testing(base.data).values():
        held_out_pairs(files)  # a fault in a test file must not fail one run after another


@dataclass(frozen=True)
class _Training:
    """The stages of `train_all`, once the text is prepared."""

    request: ComparisonRequest
    prepared: Prepared
    out: Path
    settings: ExecutionSettings
    say: Say
    listeners: Sequence[Listener]
    report_only: bool

    def plan(self, request: ComparisonRequest, folder: Path) -> Plan:
        """The plan of a request, written into the folder."""

        def throughput(recipes: Sequence[Recipe]) -> Sequence[float]:
            seconds = request.budget.amount if request.budget else 0.0
            return measured_throughput(recipes, folder, self.settings, seconds, self.say)

        return make_plan(request, self.prepared, folder, throughput, self.settings.device)

    def plan_runs(self, request: ComparisonRequest) -> Plan:
        """The plan of the comparison itself, for which there is room on the disk."""
        plan = self.plan(request, self.out)
        if not self.report_only:
            require_room(unfinished(planned_runs(plan, self.out)), self.out)
        return plan

    def plan_trials(self, trials: Sequence[Trial]) -> Plan:
        """The plan of one round of the sweep."""
        return self.plan(short_request(self.request, trials), self.out / "sweep")

    def sweep(self, trials: list[Trial]) -> Sweep | None:
        """Round after round, beginning with these trials, until no neighbour is better; None: somebody stopped it."""
        request, folder = self.request, self.out / "sweep"
        assert request.sweep is not None
        tried = list[Trial]()
        perplexities: dict[SystemSpec, float] = {}
        for number in range(1, ROUNDS + 1):
            self.say(f"round {number} of the sweep: {counted(len(trials), 'trial')}, {request.sweep.words} each")
            plan = self.plan_trials(trials)
            results = run_trials(plan, folder, self.settings, self.say, self.listeners, self.report_only)
            if results.interrupted:
                return None
            tried += trials
            perplexities |= results.perplexities
            sweep = found(request, tried, perplexities)
            if not (trials := sweep.untried):
                break
        return sweep

    def run(self, plan: Plan) -> Trained:
        """Trains what is not finished, and reads all that is finished then."""
        for line in announcement(plan, self.settings.parallel):
            self.say(line)
        if self.report_only:
            outcome = ExecutionResult(False, {})
        else:
            outcome = run_all(plan, self.out, self.settings, self.say, self.listeners)
        if outcome.interrupted:
            return Trained(plan, [], outcome.failures, interrupted=True)
        done = [run for run in planned_runs(plan, self.out) if finished(run.recipe, run.folder) is not None]
        records = [(run.entry.spec, read_finished_run(run.folder, self.settings.device)) for run in done]
        if not records:
            reason = f"all failed: {_first(outcome.failures)}" if outcome.failures else "none is finished. Train first."
            raise RunError(f"at least one run must be finished to be reported, but {reason}")
        return Trained(plan, records, outcome.failures)


def announcement(plan: Plan, parallel: int) -> Iterator[str]:
    """What is about to be run, and how long it takes as far as that is known."""
    for entry in plan.entries:
        training = entry.recipe.training
        validations = -(-training.steps // training.validate_every)
        yield (
            f"{entry.spec.label}: {entry.parameters:,} parameters, {counted(training.steps, 'step')} "
            f"with {counted(validations, 'validation')}, "
            f"{entry.operations.training / 1e6:.0f} million operations a token"
        )
    systems, seeds, runs = len(plan.entries), plan.request.seeds, len(plan.entries) * plan.request.seeds
    if plan.budget.kind == "seconds":
        total = estimate_in_words(-(-runs // parallel) * plan.budget.amount)
        # Steps are counted for a system that is alone on the machine; beside others they take longer.
        time = f"{'at least ' if parallel > 1 else ''}{total} in all, and the scoring at the end of each"
    else:
        time = "how long that takes is told after the first"
    yield (
        f"{counted(runs, 'run')}: {counted(systems, 'system')} with {counted(seeds, 'seed')} "
        f"each, {plan.budget.words} for each run; {time}."
    )


def test_files(data: DataConfig) -> PairFiles:
    """The test split, on which all systems are scored."""
    files = files_for_testing(data)
    if "test" not in files:
        raise InputError("a comparison must have a test split, but the recipe names none. Name one: data.test_source.")
    return files["test"]


def written_files(folder: Path) -> Collection[str] | None:
    """What a comparison writes into its folder; None for a folder of something else."""
    names = names_in(folder)
    for marker in ("plan.json", "report.json"):
        with suppress(FormatError):
            read_json(folder / marker, newest=1)
            return names & _ENTRIES
    return names if names <= {"data", "throughput", "sweep"} else None  # before there was a plan


def _first(failures: dict[str, str]) -> str:
    name, reason = next(iter(failures.items()))
    return f"{name}: {reason}"
