"""A whole comparison: train (`train_all.py`), measure, report. Called again with the same request, it continues."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from saccade.comparison.alignments import sentences_to_show
from saccade.comparison.execute import ExecutionSettings, Say
from saccade.comparison.finished_run import FinishedRun, read_finished_run
from saccade.comparison.measured_system import MeasuredSystem, grouped, measure_system
from saccade.comparison.parameter_matching import TOLERANCE
from saccade.comparison.plan import ComparisonRequest, Plan
from saccade.comparison.report import ReportHeader, read_report, report_data, write_report
from saccade.comparison.system_spec import SystemSpec
from saccade.comparison.train_all import test_files, train_all, written_files
from saccade.data.config import files_for_testing
from saccade.data.tasks import find_task
from saccade.errors import InputError
from saccade.folders import usable
from saccade.hardware import machine
from saccade.json_files import damaged
from saccade.runs.final_model import held_out_pairs
from saccade.runs.refusal import removing_made_folders
from saccade.training.journal import Listener

SHOWN = 3
"""How many sentences are shown with every system's alignment."""


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
    pairs = held_out_pairs(test_files(data))
    shown = sentences_to_show(pairs, SHOWN) if find_task(data.task).has_sources else []
    systems: list[MeasuredSystem] = []
    for label, records in groups:
        say(f"measuring {label}")
        systems.append(measure_system(label, records, pairs, shown, device))
    content = report_data(systems, shown, about)
    out.mkdir(parents=True, exist_ok=True)
    write_report(content, out / "report.json")
    draw_again(out / "report.json", out)


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
