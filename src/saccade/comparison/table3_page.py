"""The page of a trained Table 3, drawn from its report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from saccade.comparison.page import STYLE
from saccade.comparison.table3 import BASE
from saccade.folders import atomic_write
from saccade.pages.html import html_page

KIND = "table3"
"""What a report of this kind says of itself."""


def write_table3_page(content: Mapping[str, Any], out: Path) -> None:
    """Writes report.html."""
    body = "\n".join(_body(content))
    atomic_write(out / "report.html", html_page(content["title"], STYLE, f"<main>\n{body}\n</main>"))


def _body(content: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h1>{escape(content['title'])}</h1>"
    yield "<ul>" + "".join(f"<li>{escape(rule)}</li>" for rule in content["rules"]) + "</ul>"
    yield "<h2>The paper's questions</h2>"
    head = ("rows", "the paper's answer", "by BLEU", "by perplexity")
    groups = [
        (one["group"], one["question"], one["verdicts"]["bleu"], one["verdicts"]["perplexity"])
        for one in content["groups"]
    ]
    yield _table(head, groups, text=True)
    yield "<h2>The rows</h2>"
    columns = (
        "the paper's row,<br>and the change here",
        "million<br>parameters",
        "BLEU",
        "from base",
        "the<br>paper's",
        "from base",
        "",
        "perplexity",
        "from base",
        "the<br>paper's",
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
    changes = ", ".join(one for one in row["settings"] if not one.startswith("training.average"))
    bleu = perplexity = ("", "")
    if row["paper"] is not None:
        theirs, of_base = row["paper"], base["paper"]
        is_base = row["name"] == BASE
        bleu = f"{theirs['bleu']:.1f}", "" if is_base else f"{theirs['bleu'] - of_base['bleu']:+.1f}"
        share = theirs["perplexity"] / of_base["perplexity"] - 1
        perplexity = f"{theirs['perplexity']:.2f}", "" if is_base else f"{share:+.1%}"
    return (
        f"<b>{escape(row['name'])}</b><span class='idea'>{escape(changes)}</span>",
        f"{row['parameters'] / 1e6:.1f}",
        _mean(row["bleu"]),
        _points(row["by_bleu"]),
        *bleu,
        _outcome(row["by_bleu"]),
        _mean(row["perplexity"]),
        _share(row["by_perplexity"]),
        *perplexity,
        _outcome(row["by_perplexity"]),
    )


def _points(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return ""
    return f"{one['difference']:+.2f}" + (f" ± {one['standard_error']:.2f}" if one["standard_error"] else "")


def _share(one: Mapping[str, Any] | None) -> str:
    """A difference of logarithms, as how much of base it is."""
    if one is None:
        return ""
    change = f"{math.expm1(one['difference']):+.1%}"
    return change + (f" ± {one['standard_error']:.1%}" if one["standard_error"] else "")


def _outcome(one: Mapping[str, Any] | None) -> str:
    return escape(one["outcome"] or "") if one else ""


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
