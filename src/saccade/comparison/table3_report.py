"""Table 3, trained: all rows with their seeds, the paper's figures beside ours, and a verdict for each group.

Like every comparison it writes report.json, with every number, and report.html, which is drawn from it.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from saccade.comparison.compare import Comparison, draw_again
from saccade.comparison.execute import ExecutionSettings, Say, planned_runs
from saccade.comparison.measured_system import SeedValues
from saccade.comparison.plan import ComparisonRequest, base_recipe
from saccade.comparison.report import spread, write_report
from saccade.comparison.search_settings import TriedSetting, tried_settings
from saccade.comparison.table3 import TableRow, table3_rows
from saccade.comparison.table3_page import KIND
from saccade.comparison.table3_verdicts import (
    BLEU,
    ERRORS,
    PERPLEXITY,
    QUESTIONS,
    Difference,
    Judged,
    judged,
    verdicts,
)
from saccade.comparison.train_all import Trained, train_all
from saccade.hardware import machine
from saccade.runs.run_folder import read_evaluation
from saccade.training.journal import Listener

FORMAT = 1


def compare_table3(
    request: ComparisonRequest,
    out: Path,
    settings: ExecutionSettings,
    *,
    now: datetime,
    say: Say = lambda _: None,
    listeners: Sequence[Listener] = (),
    report_only: bool = False,
) -> Comparison:
    """Trains every row with every seed, and reports; called again, it continues."""
    rows = table3_rows(base_recipe(request.recipe, request.overrides))
    done = train_all(request, out, settings, say=say, listeners=listeners, report_only=report_only)
    if done.interrupted:
        return Comparison(out, interrupted=True)
    say("trying search settings and averages on the runs of the base row")
    tried = tried_settings(_folders(done, out, rows[0]), done.plan.entries[0].recipe, settings.device)
    content = report(rows, done, tried, settings, now)
    write_report(content, out / "report.json")
    draw_again(out / "report.json", out)
    done.raise_failures(out / "report.html")
    return Comparison(out)


def table3_request(recipe: str, seeds: int, overrides: tuple[str, ...]) -> ComparisonRequest:
    """All rows as one comparison of systems that are not matched in size."""
    rows = table3_rows(base_recipe(recipe, overrides))
    systems = tuple(row.spec for row in rows)
    return ComparisonRequest(recipe=recipe, systems=systems, seeds=seeds, overrides=overrides, matched=False)


def report(
    rows: Sequence[TableRow],
    done: Trained,
    tried: Sequence[TriedSetting],
    settings: ExecutionSettings,
    now: datetime,
) -> dict[str, Any]:
    """Everything as plain values."""
    entries = {entry.spec: entry for entry in done.plan.entries}
    found = judged(rows, {row.name: _scores(done, row) for row in rows if _scores(done, row)})
    groups = verdicts(found)
    training = done.plan.base.training
    return {
        "format": FORMAT,
        "kind": KIND,
        "title": f"Table 3 at the size of {done.plan.base.name}",
        "command": settings.command,
        "date": now.isoformat(timespec="minutes"),
        "machine": machine(settings.device),
        "failures": done.failures,
        "rules": [
            f"{done.plan.request.seeds} seeds of each row, {training.steps:,} steps of at most "
            f"{training.batch_tokens:,} tokens on each side; BLEU and perplexity of the development set, no averaging.",
            f"A row is judged where it differs from base by {ERRORS:g} standard errors, by BLEU and by perplexity. "
            f"Where the paper's differs by less than {BLEU.telling:g} BLEU or {PERPLEXITY.telling:.0%} of perplexity, "
            f"ours must be within {BLEU.equal:g} or {PERPLEXITY.equal:.0%} of base. The rest is undecided.",
            "± beside a score is the standard deviation of its seeds, beside a difference its standard error.",
        ],
        "rows": [
            _row(one, entries[one.row.spec].parameters, entries[one.row.spec].recipe.training.steps) for one in found
        ],
        "groups": [
            {"group": group, "question": QUESTIONS[group], "verdicts": by_column} for group, by_column in groups.items()
        ],
        "tried": [
            {"varied": one.varied, "value": one.value, "bleu": spread(one.bleu), "seeds": len(one.bleu.values)}
            for one in tried
        ],
    }


def _scores(done: Trained, row: TableRow) -> list[tuple[float, float]]:
    """BLEU and perplexity of the development set for each finished seed of a row."""
    found = []
    for spec, record in done.records:
        if spec == row.spec:
            valid = read_evaluation(Path(record.folder))["valid"]
            bleu = next(score["value"] for score in valid["scores"] if score["metric"] == valid["main_metric"])
            found.append((float(bleu), float(valid["likelihood"]["perplexity"])))
    return found


def _folders(done: Trained, out: Path, row: TableRow) -> list[Path]:
    finished = {record.folder for _, record in done.records}
    runs = planned_runs(done.plan, out)
    return [run.folder for run in runs if run.entry.spec == row.spec and str(run.folder) in finished]


def _row(one: Judged, parameters: int, steps: int) -> dict[str, Any]:
    paper = one.row.paper
    return {
        "group": one.row.group,
        "name": one.row.name,
        "settings": list(one.row.spec.settings),
        "parameters": parameters,
        "steps": steps,
        "bleu": spread(SeedValues(one.bleu)),
        "perplexity": spread(SeedValues(one.perplexity)),
        "by_bleu": _difference(one.by_bleu),
        "by_perplexity": _difference(one.by_perplexity),
        "paper": None if paper is None else {"perplexity": paper.perplexity, "bleu": paper.bleu},
    }


def _difference(one: Difference | None) -> dict[str, Any] | None:
    return None if one is None else {"difference": one.value, "standard_error": one.error, "outcome": one.outcome}
