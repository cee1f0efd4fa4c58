"""`saccade bulk` from file to file beside the bare engine: lines per second, and the memory it takes.

    python -m bench.bulk en-es train.en --lines 10000000 --workers 12 --minutes 9 --folder bulk-bench

The lines of the file are written over and over until there are so many; a file of many different lines is best, since
equal lines of a window are searched once. `saccade bulk` translates a twentieth of them and then all, each time from
its start to the joined output. Before and after that, and between, the search alone is given the tokens of lines in
this process, in windows of the same size: the bare engine. Around it there is nothing, no text is read, cut, checked or
written. For comparison, one process also translates lines in memory as `saccade translate` does, and the first lines of
the output are compared with what it writes.

What does not end within the minutes goes on when the same command is given again, as `bulk` itself does; the seconds of
all calls are added up. The result is printed, and written to FOLDER/result.json.

The rules, fixed before the first run:
    speed    file to file, everything included, at least 0.9 times the lines per second of the bare engine
             (until 17 November 2026 the bare engine was one process with lines in memory, which is slower; nothing had
             been measured on a GPU)
    memory   the peak for all lines is at most 1.1 times that for a twentieth of them
A speed whose three standard errors reach across the limit is undecided.
"""

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import saccade
from bench.machine import description
from saccade.serving.batching import SearchInput

SPEED, MEMORY = 0.9, 1.1
TURNS = 3
"""Measurements of the bare engine before the work, and again after it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.bulk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("source", type=Path, help="lines of the model's source language")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--bare-lines", type=int, default=100_000, help="for each measurement of the bare engine")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device")
    parser.add_argument("--engine", default="torch")
    parser.add_argument("--precision", default="auto", help="of the search, here and there")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop then; the same command again goes on")
    parser.add_argument("--folder", type=Path, default=Path("bulk-bench"))
    given = parser.parse_args(arguments)
    until = time.monotonic() + 60 * given.minutes
    given.folder.mkdir(parents=True, exist_ok=True)
    state = State(given.folder / "state.json")
    lines = given.source.read_text(encoding="utf-8").splitlines()
    engine = BareEngine(given, list(islice(cycle(lines), given.bare_lines)))
    for name, count in (("twentieth", given.lines // 20), ("all", given.lines)):
        if len(state.values["bare"]) < TURNS * len(state.values["done"]) + TURNS:
            state.add_bare([engine.lines_per_second() for _ in range(TURNS)])
        if name in state.values["done"]:
            continue
        write_lines(given.folder / f"{name}.txt", lines, count)
        if not run_bulk(given, name, count, state, until):
            print("the time is over; the same command goes on", file=sys.stderr)
            return 3
    state.add_bare([engine.lines_per_second() for _ in range(TURNS)])
    in_memory = engine.translate()
    same = same_outputs(engine.in_whole_windows(), given.folder / "all.out")
    result = judged(state.values, given.lines, same) | {
        "workers": given.workers,
        "precision": given.precision,
        "one_process_lines_per_second": in_memory,
    }
    (given.folder / "result.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0


class State:
    """What was measured so far, kept between calls."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.values: dict[str, Any] = {"bare": [], "seconds": {}, "blocks": {}, "peak": {}, "done": []}
        if path.exists():
            self.values = json.loads(path.read_text(encoding="utf-8"))

    def save(self) -> None:
        self._path.write_text(json.dumps(self.values), encoding="utf-8")

    def add_bare(self, speeds: list[float]) -> None:
        self.values["bare"] += speeds
        self.save()
        print(f"bare engine: {', '.join(f'{speed:,.0f}' for speed in speeds)} lines/s", file=sys.stderr, flush=True)


class BareEngine:
    """The search of a translator, with the options of `saccade bulk translate`."""

    def __init__(self, given: argparse.Namespace, lines: list[str]) -> None:
        self.translator = saccade.load(given.model, device=given.device, engine=given.engine, precision=given.precision)
        self.options = self.translator.options(split_sentences=True)
        self.lines = lines
        self.inputs = [SearchInput(tuple(tokens)) for tokens in self.translator.source_tokenizer.encode(lines)]
        self.outputs: list[str] = []
        self._search(self.inputs[:2000])  # kernels are made and memory is allocated

    def lines_per_second(self) -> float:
        """Of the search alone."""
        began, inputs = time.perf_counter(), iter(self.inputs)
        for size in self.options.window_sizes():
            window = list(islice(inputs, size))
            if not window:
                return len(self.inputs) / (time.perf_counter() - began)
            self._search(list(dict.fromkeys(window)))
        raise AssertionError("there is always another window")

    def translate(self) -> float:
        """Lines per second of one process from text to text; the outputs are kept."""
        began = time.perf_counter()
        self.outputs = [one.text for one in self.translator.stream(self.lines, self.options)]
        return len(self.lines) / (time.perf_counter() - began)

    def _search(self, inputs: list[SearchInput]) -> None:
        search = self.options.search or self.translator.search
        self.translator.model_engines.engine(search).search(inputs, search)

    def in_whole_windows(self) -> list[str]:
        """Outputs of windows that are not cut off: in the last one, lines have other neighbours in the large file."""
        whole = 0
        for size in self.options.window_sizes():
            if whole + size > len(self.outputs):
                return self.outputs[:whole]
            whole += size
        raise AssertionError("there is always another window")


def write_lines(path: Path, lines: list[str], count: int) -> None:
    """So many lines, unless they are there."""
    if path.exists():
        return
    aside = path.with_suffix(".part")
    with aside.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in islice(cycle(lines), count))
    aside.rename(path)


def run_bulk(given: argparse.Namespace, name: str, count: int, state: State, until: float) -> bool:
    """Whether the command came to its end in time; its seconds are added to those of earlier calls."""
    output = given.folder / f"{name}.out"
    command = [sys.executable, "-m", "saccade.cli.main", "bulk", "translate", given.model, given.folder / f"{name}.txt"]
    command += ["--output", output, "--workers", str(given.workers), "--engine", given.engine]
    command += ["--precision", given.precision]
    command += ["--device", given.device] if given.device else []
    began = time.monotonic()
    finished: dict[str, float] = {}
    peak = 0
    with subprocess.Popen([str(word) for word in command]) as process:
        while process.poll() is None:
            time.sleep(0.2)
            for shard in _records(output.with_name(f"{output.name}.bulk")):
                finished.setdefault(shard, time.monotonic())
            peak = max(peak, _peak_memory(process.pid))
            if time.monotonic() > until:
                process.send_signal(signal.SIGINT)
                process.wait()
    values = state.values
    values["seconds"][name] = values["seconds"].get(name, 0.0) + time.monotonic() - began
    values["blocks"].setdefault(name, []).extend(_gaps(sorted(finished.values())))
    values["peak"][name] = max(values["peak"].get(name, 0), peak)
    ended = process.returncode == 0
    if ended:
        values["done"].append(name)
        print(f"{name}: {count / values['seconds'][name]:,.0f} lines/s file to file", file=sys.stderr, flush=True)
    elif process.returncode != 130:
        raise SystemExit(f"bulk ended with exit code {process.returncode}")
    state.save()
    return ended


def _peak_memory(process: int) -> int:
    """The most that a process and those it has started have held, in bytes; 0 where /proc does not tell."""
    status, children = Path(f"/proc/{process}/status"), Path(f"/proc/{process}/task/{process}/children")
    try:
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 + sum(_peak_memory(int(child)) for child in children.read_text().split())
    except (OSError, ValueError):
        return 0


def _records(folder: Path) -> Iterator[str]:
    if folder.is_dir():
        yield from (name for name in os.listdir(folder) if name[0].isdigit() and name.endswith(".json"))


def _gaps(times: list[float], size: int = 10) -> list[float]:
    """Seconds in which so many shards were finished, one block after the other."""
    marks = times[::size]
    return [later - earlier for earlier, later in zip(marks, marks[1:], strict=False)]


def same_outputs(expected: list[str], output: Path) -> bool:
    """Whether a file begins with these lines."""
    with output.open(encoding="utf-8", newline="\n") as file:
        return all(text + "\n" == line for text, line in zip(expected, chain(file, [""]), strict=False))


def judged(values: dict[str, Any], lines: int, same: bool) -> dict[str, Any]:
    """The figures, and what the rules say about them."""
    bare = values["bare"]
    speed = lines / values["seconds"]["all"]
    ratio = speed / statistics.mean(bare)
    error = ratio * math.hypot(_relative_error(bare), _relative_error(values["blocks"].get("all", [])))
    growth = values["peak"]["all"] / values["peak"]["twentieth"]
    fast = "undecided" if abs(ratio - SPEED) <= 3 * error else "holds" if ratio > SPEED else "fails"
    return {
        "machine": description(),
        "lines": lines,
        "seconds": values["seconds"],
        "lines_per_second": speed,
        "bare_lines_per_second": {"mean": statistics.mean(bare), "least": min(bare), "most": max(bare)},
        "ratio": ratio,
        "standard_error": error,
        "peak_memory": values["peak"],
        "first_lines_are_those_of_the_engine": same,
        "speed": fast,
        "memory": "holds" if growth <= MEMORY else "fails",
    }


def _relative_error(values: Sequence[float]) -> float:
    """The standard error of a mean, as a share of it."""
    if len(values) < 2:
        return 0.0
    return statistics.stdev(values) / math.sqrt(len(values)) / statistics.mean(values)


if __name__ == "__main__":
    sys.exit(main())
