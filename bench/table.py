"""Results as Markdown, ready to be pasted into docs/benchmarks.md."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def table(piece: Mapping[str, Any]) -> str:
    """One piece: its title, the fastest first under saccade and the roofline, what failed last."""
    measured = [row for row in piece["rows"] if "error" not in row]
    failed = [row for row in piece["rows"] if "error" in row]
    ours = [row for row in measured if row["implementation"].split("@")[0] in ("roofline", "saccade")]
    peers = [row for row in measured if row not in ours]
    peers.sort(key=lambda row: -row["tokens_per_second"]["median"])
    decoding = any("ms_per_sentence" in row for row in measured)
    columns = [
        "",
        "version",
        *(["ms a sentence", "output tokens/s"] if decoding else ["target tokens/s"]),
        "saccade is faster",
        "of the roofline",
    ]
    lines = [[_name(row), *_cells(row, decoding)] for row in (*ours, *peers)]
    lines += [[row["title"], f"fails: {_escaped(row['error'])}", *[""] * (len(columns) - 2)] for row in failed]
    return f"**{piece['title']}**\n\n{markdown(columns, lines)}"


def markdown(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table, a row a line."""
    head = [_line(columns), "|" + "---|" * len(columns)]
    return "\n".join([*head, *map(_line, lines)]) + "\n"


def with_quartiles(spread: Mapping[str, float], digits: int = 0) -> str:
    """`median [lower quartile, upper quartile]`."""
    median, low, high = (f"{spread[name]:,.{digits}f}" for name in ("median", "low", "high"))
    return f"{median} [{low}, {high}]"


def _name(row: Row) -> str:
    return f"**{row['title']}**" if row["implementation"] == "saccade" else str(row["title"])


def _cells(row: Row, decoding: bool) -> list[str]:
    faster, share = row.get("saccade_is_faster"), row.get("of_roofline")
    return [
        str(row.get("info", {}).get("version", "")),
        *([with_quartiles(row["ms_per_sentence"], 2)] if decoding else []),
        with_quartiles(row["tokens_per_second"]),
        with_quartiles(faster, 2) if faster and row["implementation"] not in ("saccade", "roofline") else "",
        with_quartiles(share, 2) if share and row["implementation"] != "roofline" else "",
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
