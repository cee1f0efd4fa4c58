"""The page of a trained Table 3, drawn from its report."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean, stdev
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
    base = content["rows"][0]
    head = ("the paper's row,<br>and the change here", "million<br>parameters", "here", "from base")
    for column in (_BLEU, _PERPLEXITY):
        yield f"<h2>{column.title}</h2>"
        cells = [(*_named(row), *_compared(row, base, column)) for row in content["rows"]]
        yield _table((*head, "the paper's", "from base", ""), cells)
    yield "<h2>Search and averaging, on the runs of the base row</h2>"
    tried = [
        (one["varied"], escape(one["value"]), _mean(one["bleu"]), _points(_seed_by_seed(one["bleu"], base["bleu"])))
        for one in content["tried"]
    ]
    yield _table(("varied", "value", "BLEU", "from base,<br>seed by seed"), tried)
    for name, reason in content["failures"].items():
        yield f"<p>Failed: {escape(name)}: {escape(reason)}</p>"
    yield (
        f"<p class='soft'><code>{escape(content['command'])}</code>, {escape(content['date'])}, "
        f"{escape(content['machine'])}</p>"
    )


def _named(row: Mapping[str, Any]) -> tuple[str, str]:
    changes = ", ".join(one for one in row["settings"] if not one.startswith("training.average"))
    return f"<b>{escape(row['name'])}</b><span class='idea'>{escape(changes)}</span>", f"{row['parameters'] / 1e6:.1f}"


def _compared(row: Mapping[str, Any], base: Mapping[str, Any], column: "_Column") -> tuple[str, ...]:
    difference, theirs, apart = row[f"by_{column.name}"], "", ""
    if row["paper"] is not None:
        score, of_base = row["paper"][column.name], base["paper"][column.name]
        theirs = f"{score:.{column.digits}f}"
        apart = "" if row["name"] == BASE else column.of_the_paper(score, of_base)
    return _mean(row[column.name]), column.of_ours(difference), theirs, apart, _outcome(difference)


def _seed_by_seed(bleu: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, float | None] | None:
    """The same models with another search or average, so each is compared with itself; None where some are missing."""
    if len(bleu["values"]) != len(base["values"]):
        return None
    differences = [one - own for one, own in zip(bleu["values"], base["values"], strict=True)]
    error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else None
    return {"difference": fmean(differences), "standard_error": error}


def _points(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return ""
    return f"{one['difference']:+.2f}" + (f" ± {one['standard_error']:.2f}" if one["standard_error"] else "")


def _share(one: Mapping[str, Any] | None) -> str:
    """A difference of logarithms, as how much of base it is; its error is stretched as far as it is."""
    if one is None:
        return ""
    times, error = math.exp(one["difference"]), one["standard_error"]
    return f"{times - 1:+.1%}" + (f" ± {times * error:.1%}" if error else "")


@dataclass(frozen=True)
class _Column:
    """How a column of the paper's table is written, and how far a row is from base in it."""

    name: str
    title: str
    digits: int
    of_ours: Callable[[Mapping[str, Any] | None], str]
    of_the_paper: Callable[[float, float], str]


_BLEU = _Column("bleu", "BLEU", 1, _points, lambda score, base: f"{score - base:+.1f}")
_PERPLEXITY = _Column("perplexity", "Perplexity", 2, _share, lambda score, base: f"{score / base - 1:+.1%}")


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
