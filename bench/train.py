"""Training, side by side: target tokens per second of whole optimiser steps.

A step is forward, label-smoothed loss, backward and Adam, in the library's own model and loss where it has them. It is
in float32 unless the row's name says otherwise; saccade chooses its precision by itself. Collating is not timed.
"""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import workload
from bench.implementations import Implementation
from bench.quartiles import Quartiles, ratios
from bench.round_robin import failed_row, started
from bench.worker_process import WorkerFailed


@dataclass(frozen=True)
class Training:
    """What is measured together: the size of the model, and the batches."""

    size: str
    corpus: str
    tokens: int
    steps: int
    warmup: int

    @property
    def title(self) -> str:
        """For people."""
        return f"training, {self.size}, at most {self.tokens:,} target positions a batch"


PIECES = {
    "tiny": Training("tiny", "short", tokens=256, steps=3, warmup=1),
    "small": Training("small", "short", tokens=4096, steps=15, warmup=2),
    "base": Training("base", "medium", tokens=2048, steps=5, warmup=1),
}
QUICK = {
    "tiny": PIECES["tiny"],
    "small": Training("small", "short", tokens=4096, steps=5, warmup=1),
    "base": Training("base", "medium", tokens=2048, steps=2, warmup=1),
}


def measure(piece: Training, implementations: list[Implementation], threads: int, logs: Path) -> dict[str, Any]:
    """The piece as plain values: settings and one row per implementation."""
    count = piece.warmup + piece.steps
    made = workload.batches(workload.CORPORA[piece.corpus], count, workload.SIZES[piece.size].vocabulary, piece.tokens)
    seconds: dict[str, list[float]] = {}
    losses: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    with started(implementations, piece.size, "train", threads, logs) as company:
        for worker in company.order():
            try:
                worker.ask("load", corpus=piece.corpus, count=count, tokens=piece.tokens)
            except WorkerFailed as error:
                company.remove(worker.implementation.key, str(error))
        for index in range(count):
            for key, answer in company.measure_all(index, 0.0, "step", index=index).items():
                if "error" in answer:
                    company.remove(key, answer["error"])
                    continue
                seconds.setdefault(key, []).extend(answer["seconds"])
                losses.setdefault(key, []).append(answer["loss"])
                others.setdefault(key, []).append(answer["others"])
            print(f"step {index + 1} of {count}", file=sys.stderr, flush=True)
        timed = {key: seconds[key][piece.warmup :] for key in company.workers}
        extra = {
            worker.implementation.key: {
                "info": worker.info,
                "repeated": worker.repeated,
                "losses": losses[worker.implementation.key],
                "others": others[worker.implementation.key],
            }
            for worker in company.order()
        }
        failed = company.failed
    source, target = workload.padding(made[piece.warmup :])
    return {
        "title": f"{piece.title}, {threads} threads",
        "settings": {**asdict(piece), "threads": threads},
        "padding": {"source": source, "target": target},
        "rows": [
            {**row(piece, made[piece.warmup :], implementation, timed), **extra[implementation.key]}
            if implementation.key in timed
            else failed_row(implementation, failed)
            for implementation in implementations
        ],
    }


def row(
    piece: Training, made: list[workload.Batch], implementation: Implementation, timed: dict[str, list[float]]
) -> dict[str, Any]:
    """Speed of one implementation, and its ratio to saccade and to the roofline on the same batches."""
    mine = timed[implementation.key]
    size = workload.SIZES[piece.size]
    tokens = [workload.target_tokens(batch) for batch in made]
    rate = [workload.training_operations(size, batch) / second / 1e9 for batch, second in zip(made, mine, strict=True)]
    result: dict[str, Any] = {
        "implementation": implementation.key,
        "title": implementation.title,
        "tokens_per_second": asdict(ratios(tokens, mine)),
        "gflops": asdict(Quartiles.of(rate)),
        "seconds": mine,
    }
    if "saccade" in timed:
        result["saccade_is_faster"] = asdict(ratios(mine, timed["saccade"]))
    if "roofline" in timed:
        result["of_roofline"] = asdict(ratios(timed["roofline"], mine))
    return result
