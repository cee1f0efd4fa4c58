"""The GPU's results as Markdown."""

from dataclasses import asdict
from typing import Any

from bench.gpu.workload import DECODED_LENGTH, DECODING_BATCHES
from bench.quartiles import Quartiles, ratios
from bench.table import markdown, with_quartiles

Line = dict[str, Any]


def tables(lines: list[Line]) -> str:
    """One table for each kind and size that was measured."""
    parts = []
    for size in dict.fromkeys(line["size"] for line in lines):
        of_size = [line for line in lines if line["size"] == size]
        rooflines = [line for line in of_size if line["kind"] == "roofline" and "error" not in line]
        roofline = rooflines[-1] if rooflines else None
        for kind, render in (
            ("train", training_table),
            ("language-model", language_model_table),
            ("decode", decoding_table),
            ("sustained", sustained_table),
        ):
            if rows := [line for line in of_size if line["kind"] == kind]:
                parts.append(render(size, rows, roofline))
    return "\n".join(parts)


def training_table(size: str, rows: list[Line], roofline: Line | None) -> str:
    """Training of the encoder and the decoder."""
    return f"**training, {size}**\n\n{_steps_table(rows, roofline and roofline['train'])}"


def language_model_table(size: str, rows: list[Line], roofline: Line | None) -> str:
    """Training of the decoder alone."""
    return f"**training the decoder alone, {size}**\n\n{_steps_table(rows, roofline and roofline['language-model'])}"


def _steps_table(rows: list[Line], roofline: Line | None) -> str:
    """Tokens/s are all tokens over all time; the quartiles are over steps."""
    ours = next((row for row in rows if row["implementation"] == "saccade" and "error" not in row), None)
    cells = []
    if roofline:
        work = f"{roofline['tflop']:.2f} TFLOP at {roofline['tflops']:.0f} TFLOP/s"
        speed = f"{roofline['tokens_per_second']:,.0f}"
        cells.append([f"roofline: the matrix products alone, {work}", speed, f"{roofline['ms']:.1f}", "", "", "", ""])
    for row in rows:
        if "error" in row:
            cells.append([row["implementation"], f"fails: {row['error']}", *[""] * 5])
            continue
        speeds = speed_of(row)
        median = asdict(Quartiles.of(row["ms"]))
        faster = with_quartiles(asdict(ratios(row["ms"], ours["ms"])), 2) if ours and row is not ours else ""
        share = f"{speeds['median'] / roofline['tokens_per_second']:.2f}" if roofline else ""
        ready = f"{row['first_step_s']:.0f} / {row['warmup_s']:.0f}"
        cells.append(
            [
                row["implementation"],
                with_quartiles(speeds),
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
        "of the roofline",
        "peak GiB",
        "first step / warm, s",
    ]
    return markdown(columns, cells)


def speed_of(row: Line) -> dict[str, float]:
    """Tokens/s: in the middle all tokens over all time, around it the quartiles over steps."""
    steps = Quartiles.of(
        tokens / milliseconds * 1e3 for tokens, milliseconds in zip(row["tokens"], row["ms"], strict=True)
    )
    return {"median": sum(row["tokens"]) / sum(row["ms"]) * 1e3, "low": steps.low, "high": steps.high}


def decoding_table(size: str, rows: list[Line], roofline: Line | None) -> str:
    """Output tokens/s at each batch size, and how many times faster saccade is."""
    ours = next((row for row in rows if row["implementation"] == "saccade" and "error" not in row), None)
    cells = []
    if roofline:
        speeds = [
            int(batch) * DECODED_LENGTH / roofline["decode"][batch]["ms"] * 1e3 for batch in map(str, DECODING_BATCHES)
        ]
        cells.append(["roofline: the decoder's matrix products alone", *(f"{speed:,.0f}" for speed in speeds), ""])
    for row in rows:
        if "error" in row:
            cells.append([row["implementation"], f"fails: {row['error']}", *[""] * len(DECODING_BATCHES)])
            continue
        line = [row["implementation"]]
        for batch in DECODING_BATCHES:
            seconds = row["seconds"][str(batch)]
            speed = with_quartiles(asdict(Quartiles.of(batch * DECODED_LENGTH / second for second in seconds)))
            if ours and row is not ours:
                speed += f"; saccade x {asdict(ratios(seconds, ours['seconds'][str(batch)]))['median']:.1f}"
            line.append(speed)
        cells.append([*line, f"{row['warmup_s']:.0f}"])
    columns = ["output tokens/s", *(f"batch {batch}" for batch in DECODING_BATCHES), "warm, s"]
    return f"**decoding, {size}, beam 4, bfloat16, {DECODED_LENGTH} tokens forced**\n\n{markdown(columns, cells)}"


def sustained_table(size: str, rows: list[Line], roofline: Line | None) -> str:
    """The training loop over minutes."""
    cells = []
    for row in rows:
        if "error" in row or not row["tokens_per_second"]:
            cells.append(
                [row["implementation"], f"fails: {row.get('error', 'too short for a window')}", "", "", "", ""]
            )
            continue
        speed = row["tokens_per_second"]
        share = f"{speed['median'] / roofline['train']['tokens_per_second']:.2f}" if roofline else ""
        span, steps = f"{row['minutes']:g}", f"{row['steps']:,}"
        cells.append([row["implementation"], with_quartiles(speed), share, span, steps, f"{row['peak_gib']:.1f}"])
    columns = ["", "target tokens/s, wall, 10 s windows", "of the roofline", "minutes", "steps", "peak GiB"]
    return f"**the training loop, {size}**\n\n{markdown(columns, cells)}"
