"""Table 3, trained: all rows with their seeds, the paper's figures beside ours, and a verdict for each group.

Like every comparison it writes report.json, with every number, and report.html.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from saccade.comparison.compare import Comparison, Say, Trained, machine, train_all
from saccade.comparison.execute import ExecutionSettings, planned_runs
from saccade.comparison.page import STYLE
from saccade.comparison.plan import ComparisonRequest, base_recipe
from saccade.comparison.search_settings import TriedSetting, tried_settings
from saccade.comparison.table3 import BASE, TableRow, table3_rows
from saccade.comparison.table3_verdicts import EQUAL, ERRORS, QUESTIONS, TELLING, Judged, judged, verdicts
from saccade.folders import atomic_write
from saccade.json_files import sealed
from saccade.pages.html import html_page
from saccade.runs.run_folder import read_evaluation
from saccade.training.journal import Listener

FORMAT = 1
KIND = "table3"


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
    atomic_write(out / "report.json", json.dumps(sealed(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    atomic_write(out / "report.html", page(content))
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
            f"A row is judged where its BLEU differs from base by {ERRORS:g} standard errors. Where the paper's "
            f"differs by less than {TELLING:g}, ours must be within {EQUAL:g} of base. The rest is undecided.",
        ],
        "rows": [
            _row(one, entries[one.row.spec].parameters, entries[one.row.spec].recipe.training.steps) for one in found
        ],
        "groups": [
            {"group": group, "question": QUESTIONS[group], "verdict": verdict} for group, verdict in groups.items()
        ],
        "tried": [
            {"varied": one.varied, "value": one.value, "bleu": _spread(one.bleu.values), "seeds": len(one.bleu.values)}
            for one in tried
        ],
    }


def page(content: Mapping[str, Any]) -> str:
    """The report as one HTML file."""
    body = "\n".join(_body(content))
    return html_page(content["title"], STYLE, f"<main>\n{body}\n</main>")


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
        "bleu": _spread(one.bleu),
        "perplexity": _spread(one.perplexity),
        "difference": one.difference,
        "standard_error": one.error,
        "outcome": one.outcome,
        "paper": None if paper is None else {"perplexity": paper.perplexity, "bleu": paper.bleu},
    }


def _spread(values: Sequence[float]) -> dict[str, Any]:
    deviation = stdev(values) if len(values) > 1 else None
    return {"mean": fmean(values), "deviation": deviation, "values": list(values)}


def _body(content: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h1>{escape(content['title'])}</h1>"
    yield "<ul>" + "".join(f"<li>{escape(rule)}</li>" for rule in content["rules"]) + "</ul>"
    yield "<h2>The paper's questions</h2>"
    head = ("rows", "the paper's answer", "here")
    yield _table(head, [(one["group"], one["question"], one["verdict"]) for one in content["groups"]], text=True)
    yield "<h2>The rows</h2>"
    columns = (
        "the paper's row,<br>and the change here",
        "million<br>parameters",
        "perplexity",
        "BLEU",
        "from base",
        "the paper's<br>BLEU",
        "from base",
        "",
    )
    yield _table(columns, [_cells(row, content["rows"][0]) for row in content["rows"]])
    yield "<h2>Search and averaging, on the runs of the base row</h2>"
    tried = [(one["varied"], escape(one["value"]), _mean(one["bleu"])) for one in content["tried"]]
    yield _table(("varied", "value", "BLEU"), tried)
    for name, reason in content["failures"].items():
        yield f"<p>Failed: {escape(name)}: {escape(reason)}</p>"
    yield (
        f"<p class='soft'><code>{escape(content['command'])}</code>, {escape(content['date'])}, "
        f"{escape(content['machine'])}</p>"
    )


def _cells(row: Mapping[str, Any], base: Mapping[str, Any]) -> tuple[str, ...]:
    ours = paper = theirs = ""
    if row["difference"] is not None:
        ours = f"{row['difference']:+.2f}" + (f" ± {row['standard_error']:.2f}" if row["standard_error"] else "")
    if row["paper"] is not None:
        paper = f"{row['paper']['bleu']:.1f}"
        theirs = f"{row['paper']['bleu'] - base['paper']['bleu']:+.1f}" if row["name"] != BASE else ""
    changes = ", ".join(one for one in row["settings"] if not one.startswith("training.average"))
    return (
        f"<b>{escape(row['name'])}</b><span class='idea'>{escape(changes)}</span>",
        f"{row['parameters'] / 1e6:.1f}",
        _mean(row["perplexity"]),
        _mean(row["bleu"]),
        ours,
        paper,
        theirs,
        escape(row["outcome"] or ""),
    )


def _mean(spread: Mapping[str, Any]) -> str:
    deviation = spread["deviation"]
    return f"{spread['mean']:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, text: bool = False) -> str:
    kind = " class='text'" if text else ""
    lines = ["".join(f"<td{kind}>{cell}</td>" for cell in row) for row in rows]
    titles = "".join(f"<th{kind}>{title}</th>" for title in head)
    return (
        f"<div class='wide'><table><tr>{titles}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table></div>"
    )
