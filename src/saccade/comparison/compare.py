"""A whole comparison: plan, train, measure, report. Called again with the same request, it continues."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from saccade.comparison.alignments import sentences_to_show
from saccade.comparison.execute import (
    ExecutionResult,
    ExecutionSettings,
    measured_throughput,
    planned_runs,
    run_all,
    share_data,
)
from saccade.comparison.finished_run import FinishedRun, read_finished_run
from saccade.comparison.measured_system import MeasuredSystem, grouped, measure_system
from saccade.comparison.parameter_matching import TOLERANCE
from saccade.comparison.plan import ComparisonRequest, Plan, base_recipe, check_systems, make_plan
from saccade.comparison.report import ReportHeader, read_report, report_data, write_report
from saccade.comparison.sweep import ROUNDS, Sweep, Trial, check_sweep, first_round, found, short_request
from saccade.comparison.system_spec import SystemSpec
from saccade.comparison.trials import run_trials
from saccade.counted import counted
from saccade.data.config import DataConfig, files_for_testing
from saccade.data.parallel_text import PairFiles
from saccade.data.prepare import prepare
from saccade.data.progress import estimate_in_words
from saccade.data.tasks import find_task
from saccade.errors import ConfigError, FormatError, InputError, RunError
from saccade.folders import names_in, usable
from saccade.hardware import machine
from saccade.json_files import damaged, read_json
from saccade.recipes.recipe import Recipe
from saccade.runs.final_model import held_out_pairs
from saccade.runs.refusal import removing_made_folders
from saccade.runs.run_folder import finished
from saccade.training.journal import Listener

_ENTRIES = {"plan.json", "recipes", "data", "throughput", "runs", "sweep", "report.json", "report.html", "figures"}
SHOWN = 3
"""How many sentences are shown with every system's alignment."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Comparison:
    """The folder of a comparison; an interrupted one has no report yet."""

    out: Path
    interrupted: bool = False

    @property
    def page(self) -> Path:
        """What to open in a browser."""
        return self.out / "report.html"


def compare(
    request: ComparisonRequest,
    out: Path,
    settings: ExecutionSettings,
    *,
    now: datetime,
    say: Say = lambda _: None,
    listeners: Sequence[Listener] = (),
    report_only: bool = False,
) -> Comparison:
    """Trains every system with every seed under one budget, and reports; or reports what is finished so far."""
    done = train_all(request, out, settings, say=say, listeners=listeners, report_only=report_only)
    if done.interrupted:
        return Comparison(out, interrupted=True)
    groups = _by_system(done.records)
    plan = done.plan
    about = ReportHeader(
        title=f"{plan.base.name}: {len(groups)} systems, {plan.budget.words} each",
        command=settings.command,
        date=now.isoformat(timespec="minutes"),
        machine=machine(settings.device),
        rules=_rules(plan),
        shared=settings.parallel > 1,
        failures=done.failures,
        sweep=None if done.sweep is None else done.sweep.to_json(),
    )
    _report(groups, out, about, settings.device, say)
    done.raise_failures(out / "report.html")
    return Comparison(out)


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
    say: Say = lambda _: None,
    listeners: Sequence[Listener] = (),
    report_only: bool = False,
) -> Trained:
    """Plans the runs and trains those that are not finished; `report_only`: reads those that are."""
    base = base_recipe(request.recipe, request.overrides)
    if request.seeds < 1:
        raise ConfigError(f"`--seeds` must be 1 or more, but is {request.seeds}.")
    if settings.parallel < 1:
        raise ConfigError(f"`--parallel` must be 1 or more, but is {settings.parallel}.")
    usable(out, written_files)
    if report_only and not (out / "plan.json").is_file():
        raise RunError(
            f"at least one run must be finished to be reported, but `{out}` holds no comparison. Train first."
        )
    _test_files(base.data)
    check_systems(request)
    check_sweep(request)
    for files in files_for_testing(base.data).values():
        held_out_pairs(files)  # a fault in a test file must not fail one run after another

    def planned(request: ComparisonRequest, folder: Path) -> Plan:
        def throughput(recipes: Sequence[Recipe]) -> Sequence[float]:
            seconds = request.budget.amount if request.budget else 0.0
            return measured_throughput(recipes, folder, settings, seconds, say)

        return make_plan(request, prepared, folder, throughput, settings.device)

    with removing_made_folders(out):
        out.mkdir(parents=True, exist_ok=True)
        prepared = prepare(base.data, out / "data")
        if request.sweep is None:
            plan = planned(request, out)
        else:
            beginning = first_round(request, base, prepared)
            share_data(out, out / "sweep")
            planned(short_request(request, beginning), out / "sweep")
    sweep = None
    if request.sweep is not None:
        new, tried = beginning, list[Trial]()
        perplexities: dict[SystemSpec, float] = {}
        for number in range(1, ROUNDS + 1):
            say(f"round {number} of the sweep: {counted(len(new), 'trial')}, {request.sweep.words} each")
            short = planned(short_request(request, new), out / "sweep")
            results = run_trials(short, out / "sweep", settings, say, listeners, report_only)
            if results.interrupted:
                return Trained(short, [], {}, interrupted=True)
            tried += new
            perplexities |= results.perplexities
            sweep = found(request, tried, perplexities)
            if not (new := sweep.untried):
                break
        assert sweep is not None, "there is a first round"
        plan = planned(replace(request, systems=sweep.systems), out)
    for line in announcement(plan, settings.parallel):
        say(line)
    outcome = ExecutionResult(False, {}) if report_only else run_all(plan, out, settings, say, listeners)
    if outcome.interrupted:
        return Trained(plan, [], outcome.failures, interrupted=True)
    done = [run for run in planned_runs(plan, out) if finished(run.recipe, run.folder) is not None]
    records = [(run.entry.spec, read_finished_run(run.folder, settings.device)) for run in done]
    if not records:
        reason = f"all failed: {_first(outcome.failures)}" if outcome.failures else "none is finished. Train first."
        raise RunError(f"at least one run must be finished to be reported, but {reason}")
    return Trained(plan, records, outcome.failures, sweep=sweep)


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


def compare_runs(
    folders: Sequence[Path], out: Path, device: str, *, command: str, now: datetime, say: Say = lambda _: None
) -> Comparison:
    """Reports finished runs, whatever made them; they must have been scored on the same test set."""
    usable(out, written_files)
    records = [read_finished_run(folder, device) for folder in folders]
    first = records[0].recipe.data
    for record in records[1:]:
        theirs, ours = files_for_testing(record.recipe.data), files_for_testing(first)
        if record.recipe.data.task != first.task or theirs != ours:
            raise InputError(
                f"`{record.folder}` must be scored on the test set of {records[0].folder}, but has another. "
                "Compare runs on the same data."
            )
    groups = [(label, list(group)) for label, group in grouped(records)]
    about = ReportHeader(
        title=f"{len(groups)} systems side by side",
        command=command,
        date=now.isoformat(timespec="minutes"),
        machine=machine(device),
        rules=("Finished runs, as they were: budget, size and data may differ between them.",),
        equal=False,
    )
    _report(groups, out, about, device, say)
    return Comparison(out)


def _report(
    groups: Sequence[tuple[str, Sequence[FinishedRun]]], out: Path, about: ReportHeader, device: str, say: Say
) -> None:
    data = groups[0][1][0].recipe.data
    pairs = held_out_pairs(_test_files(data))
    shown = sentences_to_show(pairs, SHOWN) if find_task(data.task).has_sources else []
    systems: list[MeasuredSystem] = []
    for label, records in groups:
        say(f"measuring {label}")
        systems.append(measure_system(label, records, pairs, shown, device))
    content = report_data(systems, shown, about)
    out.mkdir(parents=True, exist_ok=True)
    write_report(content, out / "report.json")
    draw_again(out / "report.json", out)


def _test_files(data: DataConfig) -> PairFiles:
    files = files_for_testing(data)
    if "test" not in files:
        raise InputError("a comparison must have a test split, but the recipe names none. Name one: data.test_source.")
    return files["test"]


def draw_again(report: Path, out: Path) -> Comparison:
    """Draws page and figures from a report that is there already; into another folder, with the report beside them."""
    # Imported here because matplotlib is slow to load and training does not need it.
    from saccade.comparison.page import write_page
    from saccade.comparison.table3_page import KIND, write_table3_page

    content = read_report(report)
    elsewhere = out.absolute() != report.parent.absolute()
    if elsewhere:
        usable(out, written_files)
    with removing_made_folders(out):
        if elsewhere:
            out.mkdir(parents=True, exist_ok=True)
            write_report(content, out / "report.json")  # first, since by it the folder is known to be ours
        try:
            if content.get("kind") == KIND:
                write_table3_page(content, out)
            else:
                write_page(content, out)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise damaged(report, "Compare once more.") from error
    return Comparison(out)


def written_files(folder: Path) -> Collection[str] | None:
    """What a comparison writes into its folder; None for a folder of something else."""
    names = names_in(folder)
    for marker in ("plan.json", "report.json"):
        with suppress(FormatError):
            read_json(folder / marker, newest=1)
            return names & _ENTRIES
    return names if names <= {"data", "throughput", "sweep"} else None  # before there was a plan


def _by_system(records: Sequence[tuple[SystemSpec, FinishedRun]]) -> list[tuple[str, list[FinishedRun]]]:
    """The runs of each, under the name of its architecture alone where no other has the same."""
    systems = list(dict.fromkeys(one for one, _ in records))
    architectures = [one.architecture for one in systems]
    return [
        (
            one.architecture if architectures.count(one.architecture) == 1 else one.label,
            [record for owner, record in records if owner == one],
        )
        for one in systems
    ]


def _rules(plan: Plan) -> tuple[str, ...]:
    training = plan.base.training
    smallest, largest = (end(one.parameters for one in plan.entries) for end in (min, max))
    packed = "packed without padding for a system that can read them so, else of similar lengths; the table of speeds "
    batches = f"{packed}says which" if training.packs else "padded, of similar lengths, for every system"
    swept = "the highest rate and the size of the initial weights that a sweep, the same for all, found for each"
    # By steps, and not by a clock that stops: a schedule is to reach its end, whatever else the machine does meanwhile.
    alone = " Each took the steps that fit into this time when it is alone on the machine, validations not counted."
    alone = alone if plan.budget.kind == "seconds" else ""
    rate = "the same highest rate" if plan.request.sweep is None else swept
    return (
        f"Budget: {plan.budget.words} for each run, {plan.request.seeds} seeds.{alone}",
        f"Size: {plan.parameters:,} parameters within {TOLERANCE:.0%}; here from {smallest:,} to {largest:,}. "
        "The width was chosen for that, the depth is each system's own.",
        f"Data: {plan.base.data.corpus or plan.base.data.source}; the same pieces, pairs and test set for all.",
        f"Learning: {training.optimizer}, {training.schedule} schedule, {rate}, warm-up for the same share of the "
        f"steps, batches of {training.batch_tokens:,} tokens, label smoothing {training.label_smoothing}.",
        f"Batches: {batches}.",
        f"Search: beam {plan.base.decoding.size}, length penalty {plan.base.decoding.alpha}.",
    )


def _first(failures: dict[str, str]) -> str:
    name, reason = next(iter(failures.items()))
    return f"{name}: {reason}"
