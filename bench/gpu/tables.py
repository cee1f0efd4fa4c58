"""The GPU's results as Markdown."""

from dataclasses import asdict
from typing import Any

from bench.gpu.decoding_work import BATCHES, LENGTH
from bench.spread import Spread, ratios
from bench.table import markdown, with_quartiles

Line = dict[str, Any]


def tables(lines: list[Line]) -> str:
    """One table for each kind and size that was measured."""
    parts = []
    for size in dict.fromkeys(line["size"] for line in lines):
        of_size = [line for line in lines if line["size"] == size]
        floors = [line for line in of_size if line["kind"] == "floor" and "error" not in line]
        floor = floors[-1] if floors else None
        for kind, render in (("train", training_table), ("decode", decoding_table), ("sustained", sustained_table)):
            if rows := [line for line in of_size if line["kind"] == kind]:
                parts.append(render(size, rows, floor))
    return "\n".join(parts)


def training_table(size: str, rows: list[Line], floor: Line | None) -> str:
    """Tokens/s are all tokens over all time; the quartiles are over steps."""
    ours = next((row for row in rows if row["subject"] == "saccade" and "error" not in row), None)
    cells = []
    if floor:
        least = floor["train"]
        name = f"floor: the matrix products alone, {least['tflop']:.2f} TFLOP at {least['tflops']:.0f} TFLOP/s"
        cells.append([name, f"{least['tokens_per_second']:,.0f}", f"{least['ms']:.1f}", "", "", "", ""])
    for row in rows:
        if "error" in row:
            cells.append([row["subject"], f"fails: {row['error']}", *[""] * 5])
            continue
        speed = speed_of(row)
        median = asdict(Spread.of(row["ms"]))
        faster = with_quartiles(asdict(ratios(row["ms"], ours["ms"])), 2) if ours and row is not ours else ""
        share = f"{speed['median'] / floor['train']['tokens_per_second']:.2f}" if floor else ""
        ready = f"{row['first_step_s']:.0f} / {row['warmup_s']:.0f}"
        cells.append(
            [
                row["subject"],
                with_quartiles(speed),
                with_quartiles(median, 1),
                faster,
                share,
                f"{row['peak_gib']:.1f}",
                ready,
            ]
        )
    columns = [
        "",
        "target tokens/s",
        "ms a step",
        "saccade is faster",
        "of the floor",
        "peak GiB",
        "first step / warm, s",
    ]
    return f"**training, {size}**\n\n{markdown(columns, cells)}"


def speed_of(row: Line) -> dict[str, float]:
    """Tokens/s: in the middle all tokens over all time, around it the quartiles over steps."""
    steps = Spread.of(
        tokens / milliseconds * 1e3 for tokens, milliseconds in zip(row["tokens"], row["ms"], strict=True)
    )
    return {"median": sum(row["tokens"]) / sum(row["ms"]) * 1e3, "low": steps.low, "high": steps.high}


def decoding_table(size: str, rows: list[Line], floor: Line | None) -> str:
    """Output tokens/s at each batch size, and how many times faster saccade is."""
    ours = next((row for row in rows if row["subject"] == "saccade" and "error" not in row), None)
    cells = []
    if floor:
        speeds = [int(batch) * LENGTH / floor["decode"][batch]["ms"] * 1e3 for batch in map(str, BATCHES)]
        cells.append(["floor: the decoder's matrix products alone", *(f"{speed:,.0f}" for speed in speeds), ""])
    for row in rows:
        if "error" in row:
            cells.append([row["subject"], f"fails: {row['error']}", *[""] * len(BATCHES)])
            continue
        line = [row["subject"]]
        for batch in BATCHES:
            seconds = row["seconds"][str(batch)]
            speed = with_quartiles(asdict(Spread.of(batch * LENGTH / second for second in seconds)))
            if ours and row is not ours:
                speed += f"; saccade x {asdict(ratios(seconds, ours['seconds'][str(batch)]))['median']:.1f}"
            line.append(speed)
        cells.append([*line, f"{row['warmup_s']:.0f}"])
    columns = ["output tokens/s", *(f"batch {batch}" for batch in BATCHES), "warm, s"]
    return f"**decoding, {size}, beam 4, bfloat16, {LENGTH} tokens forced**\n\n{markdown(columns, cells)}"


def sustained_table(size: str, rows: list[Line], floor: Line | None) -> str:
    """The training loop over minutes."""
    cells = []
    for row in rows:
        if "error" in row or not row["tokens_per_second"]:
            cells.append([row["subject"], f"fails: {row.get('error', 'too short for a window')}", "", "", "", ""])
            continue
        speed = row["tokens_per_second"]
        share = f"{speed['median'] / floor['train']['tokens_per_second']:.2f}" if floor else ""
        span, steps = f"{row['minutes']:g}", f"{row['steps']:,}"
        cells.append([row["subject"], with_quartiles(speed), share, span, steps, f"{row['peak_gib']:.1f}"])
    columns = ["", "target tokens/s, wall, 10 s windows", "of the floor", "minutes", "steps", "peak GiB"]
    return f"**the training loop, {size}**\n\n{markdown(columns, cells)}"
