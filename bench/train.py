"""Training, side by side: target tokens a second of whole optimiser steps.

A step is forward, label-smoothed loss, backward and Adam, in float32 unless its name or saccade itself says otherwise,
in the library's own model and loss where it has them; collating is outside the timing. Only real tokens count.
"""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import work
from bench.process import SubjectFailed
from bench.sides import sides
from bench.spread import Spread, ratios
from bench.subjects import Subject


@dataclass(frozen=True)
class Training:
    """One piece: the size of the model, and the batches."""

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


def measure(piece: Training, subjects: list[Subject], threads: int, logs: Path) -> dict[str, Any]:
    """The piece as plain values: settings and one row a subject."""
    count = piece.warmup + piece.steps
    made = work.batches(work.CORPORA[piece.corpus], count, work.SIZES[piece.size].vocabulary, piece.tokens)
    seconds: dict[str, list[float]] = {}
    losses: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    with sides(subjects, piece.size, "train", threads, logs) as company:
        for process in company.alive():
            try:
                process.ask("load", corpus=piece.corpus, count=count, tokens=piece.tokens)
            except SubjectFailed as error:
                company.leave(process.subject.key, str(error))
        for index in range(count):
            for key, answer in company.everyone(index, 0.0, "step", index=index).items():
                if "error" in answer:
                    company.leave(key, answer["error"])
                    continue
                seconds.setdefault(key, []).extend(answer["seconds"])
                losses.setdefault(key, []).append(answer["loss"])
                others.setdefault(key, []).append(answer["others"])
            print(f"step {index + 1} of {count}", file=sys.stderr, flush=True)
        timed = {key: seconds[key][piece.warmup :] for key in company.processes}
        extra = {
            process.subject.key: {
                "info": process.info,
                "measured_again": process.measured_again,
                "losses": losses[process.subject.key],
                "others": others[process.subject.key],
            }
            for process in company.alive()
        }
        failed = company.failed
    source, target = work.padding(made[piece.warmup :])
    return {
        "title": f"{piece.title}, {threads} threads",
        "settings": {**asdict(piece), "threads": threads},
        "padding": {"source": source, "target": target},
        "rows": [
            {**row(piece, made[piece.warmup :], subject, timed), **extra[subject.key]}
            if subject.key in timed
            else {"subject": subject.key, "title": subject.title, "error": failed[subject.key]}
            for subject in subjects
        ],
    }


def row(piece: Training, made: list[work.Batch], subject: Subject, timed: dict[str, list[float]]) -> dict[str, Any]:
    """What the steps of one subject come to, beside saccade's and the floor's on the same batches."""
    mine = timed[subject.key]
    size = work.SIZES[piece.size]
    tokens = [work.target_tokens(batch) for batch in made]
    rate = [work.training_operations(size, batch) / second / 1e9 for batch, second in zip(made, mine, strict=True)]
    result: dict[str, Any] = {
        "subject": subject.key,
        "title": subject.title,
        "tokens_per_second": asdict(ratios(tokens, mine)),
        "gflops": asdict(Spread.of(rate)),
        "seconds": mine,
    }
    if "saccade" in timed:
        result["saccade_is_faster"] = asdict(ratios(mine, timed["saccade"]))
    if "floor" in timed:
        result["of_the_floor"] = asdict(ratios(timed["floor"], mine))
    return result
