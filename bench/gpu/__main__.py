"""saccade beside the peers that are installed on a CUDA machine; nothing is installed.

    python -m bench.gpu --train --out gpu.jsonl            the paper's base model, 25,000 + 25,000 tokens a batch
    python -m bench.gpu --train --size big --only saccade
    python -m bench.gpu --language-model --size base-16k   the decoder alone
    python -m bench.gpu --decode                           beam 4, batches of 1, 64 and 512
    python -m bench.gpu --sustained 3                      the real training loop, for minutes

Every implementation has its own process with a time limit. Processes of one group start and warm up together, which is
not timed, and are measured one after the other. Each result is written to --out at once, as a JSON line; the tables
come last. `--render FILE` prints the tables of such a file again, on any machine.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.gpu.tables import tables
from bench.worker_process import WorkerFailed, WorkerProcess

STEPS, SEARCHES = 20, 9
TRAIN_GROUPS = [
    ["saccade"],
    ["saccade, its own batches"],
    ["saccade, padded", "Hugging Face Marian, eager attention", "Hugging Face Marian, sdpa"],
    ["nn.Transformer", "nn.Transformer, compiled", "Hugging Face Marian, sdpa, compiled"],
]
"""saccade warms up alone, because its warm-up time is one of the results."""
LANGUAGE_MODEL_GROUPS = [
    ["saccade"],
    ["saccade, its own batches"],
    ["saccade, padded", "nn.TransformerEncoder", "nn.TransformerEncoder, compiled"],
]
DECODE_GROUPS = [["saccade"], ["Hugging Face Marian", "saccade, readable search"]]


class Out:
    """A file of JSON lines, flushed line by line, and what it holds."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []

    def write(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        text = json.dumps(line)
        print(text[:400], file=sys.stderr, flush=True)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--language-model", action="store_true", help="train the decoder alone")
    parser.add_argument("--decode", action="store_true")
    parser.add_argument("--sustained", type=float, metavar="MINUTES")
    parser.add_argument("--size", choices=["small", "base", "base-16k", "big"], default="base")
    parser.add_argument(
        "--only", metavar="TITLES", help="only these rows, with semicolons between; the roofline is always there"
    )
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument(
        "--limit", type=float, default=110.0, help="seconds an implementation may take to start and warm up"
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--render", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.render:
        lines = options.render.read_text(encoding="utf-8").splitlines()
        print(tables([json.loads(line) for line in lines]))
        return 0

    out = Out(options.out)
    began = time.perf_counter()
    groups = [("train", group) for group in _wanted(TRAIN_GROUPS, options.only) if options.train]
    groups += [
        ("language-model", group) for group in _wanted(LANGUAGE_MODEL_GROUPS, options.only) if options.language_model
    ]
    groups += [("decode", group) for group in _wanted(DECODE_GROUPS, options.only) if options.decode]
    # All start now, which is mostly imports; none touches the GPU before it is asked to.
    started = [
        (kind, {implementation: _started(kind, implementation, options) for implementation in group})
        for kind, group in groups
    ]
    _alone("roofline", "roofline", options, out, options.limit, {})
    for kind, processes in started:
        _group(kind, processes, options, out)
    if options.sustained:
        seconds = 60 * options.sustained
        _alone("sustained", "saccade", options, out, seconds + options.limit, {"minutes": options.sustained})
    print(tables(out.lines))
    print(f"{time.perf_counter() - began:.0f} seconds", file=sys.stderr)
    return 0


def _wanted(groups: list[list[str]], implementations: str | None) -> list[list[str]]:
    if implementations is None:
        return groups
    chosen = implementations.split(";")
    return [kept for group in groups if (kept := [one for one in group if one in chosen])]


def _group(kind: str, processes: dict[str, WorkerProcess], options: argparse.Namespace, out: Out) -> None:
    """All of a group warm up side by side; then each is measured while the others wait.

    An implementation that plans or compiles for a shape has then seen every batch before it is timed.
    """
    warm, measure = (
        (1, {"steps": SEARCHES}) if kind == "decode" else (options.steps, {"start": 0, "steps": options.steps})
    )
    warmed = {}
    for process in processes.values():
        process.send("warm", steps=warm)
    deadline = time.perf_counter() + options.limit
    for implementation, process in processes.items():
        try:
            warmed[implementation] = process.receive(max(0.0, deadline - time.perf_counter()))
        except WorkerFailed as error:
            process.kill()  # or it would run beside the others while they are timed
            out.write(_line(kind, implementation, options, {"error": str(error)}))
    for implementation, about in warmed.items():
        try:
            processes[implementation].send("measure", **measure)
            out.write(_line(kind, implementation, options, {**about, **processes[implementation].receive(60.0)}))
        except WorkerFailed as error:
            out.write(_line(kind, implementation, options, {"error": str(error)}))
    for process in processes.values():
        process.kill()


def _alone(
    kind: str, implementation: str, options: argparse.Namespace, out: Out, limit: float, measure: dict[str, Any]
) -> None:
    process = _started(kind, implementation, options)
    try:
        process.send("measure", **measure)
        out.write(_line(kind, implementation, options, process.receive(limit)))
    except WorkerFailed as error:
        out.write(_line(kind, implementation, options, {"error": str(error)}))
    process.kill()


def _started(kind: str, implementation: str, options: argparse.Namespace) -> WorkerProcess:
    logs = (options.out.parent if options.out else Path("bench/results")) / "logs"
    name = f"gpu-{kind}-{implementation}-{options.size}".replace(" ", "_").replace(",", "")
    command = [sys.executable, "-m", "bench.gpu.worker", kind, implementation, options.size, str(options.steps)]
    return WorkerProcess(command, logs / f"{name}.log")


def _line(kind: str, implementation: str, options: argparse.Namespace, answer: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "implementation": implementation, "size": options.size, **answer}


if __name__ == "__main__":
    sys.exit(main())
