"""Decoding, side by side: milliseconds per sentence and output tokens per second, random weights, forced lengths.

A source of n positions is answered with exactly n tokens. Batches are of one length, so nobody pads.
"""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import workload
from bench.implementations import Implementation
from bench.quartiles import Quartiles, ratios
from bench.round_robin import RoundRobin, failed_row, started


@dataclass(frozen=True)
class Decoding:
    """What is measured together: the size of the model, of a batch, of the beam, and how many sentences."""

    size: str
    batch: int
    beam: int
    count: int
    repeats: int = 2

    @property
    def name(self) -> str:
        """For the results file."""
        return f"batch {self.batch} beam {self.beam}"

    @property
    def title(self) -> str:
        """For people."""
        kind = f"beam {self.beam}" if self.beam > 1 else "greedy"
        return f"decoding, {self.size}, batch {self.batch}, {kind}"


PIECES = {
    "tiny": [Decoding("tiny", 3, 2, count=6, repeats=1)],
    "small": [Decoding("small", batch, beam, count) for batch, count in ((1, 48), (32, 128)) for beam in (1, 4)],
    "base": [Decoding("base", batch, beam, count) for batch, count in ((1, 8), (32, 64)) for beam in (1, 4)],
}
QUICK = {
    "tiny": PIECES["tiny"],
    "small": [Decoding("small", 1, 4, count=16, repeats=1), Decoding("small", 32, 4, count=64, repeats=1)],
    "base": [Decoding("base", 1, 4, count=3, repeats=1)],
}


def measure(
    pieces: list[Decoding], implementations: list[Implementation], threads: int, logs: Path
) -> Iterator[tuple[Decoding, dict[str, Any]]]:
    """Each piece with its result as plain values; the implementations are started once for all pieces."""
    (size,) = {piece.size for piece in pieces}
    with started(implementations, size, "decode", threads, logs) as company:
        for piece in pieces:
            yield piece, _measure_one(piece, company, implementations, threads)


def _measure_one(
    piece: Decoding, company: RoundRobin, implementations: list[Implementation], threads: int
) -> dict[str, Any]:
    request = {"count": piece.count, "batch": piece.batch, "beam": piece.beam}
    timed: dict[str, list[float]] = {}
    failed: dict[str, str] = {}
    for turn in range(-1, piece.repeats):  # a warm-up first
        limit = 1 if turn < 0 else None
        for key, answer in company.measure_all(max(turn, 0), 0.25, "decode", **request, limit=limit).items():
            if "error" in answer:
                failed[key] = answer["error"]
            elif turn >= 0:
                timed.setdefault(key, []).extend(answer["seconds"])
        print(f"{piece.title}: pass {turn + 1} of {piece.repeats}", file=sys.stderr, flush=True)
    # An implementation that fails at this batch and beam may manage others, so only this table leaves it out.
    failed |= company.failed
    return {
        "title": f"{piece.title}, {threads} threads",
        "settings": {**asdict(piece), "threads": threads},
        "rows": [
            failed_row(implementation, failed)
            if implementation.key in failed
            else {**row(piece, implementation, timed), "info": company.workers[implementation.key].info}
            for implementation in implementations
        ],
    }


def row(piece: Decoding, implementation: Implementation, timed: dict[str, list[float]]) -> dict[str, Any]:
    """Speed of one implementation, and its ratio to saccade and to the roofline on the same batches."""
    mine = timed[implementation.key]
    groups = workload.sources(piece.count, piece.batch, workload.SIZES[piece.size].vocabulary)
    lengths = [len(group[0]) + 1 for group in groups] * piece.repeats
    result: dict[str, Any] = {
        "implementation": implementation.key,
        "title": implementation.title,
        "ms_per_sentence": asdict(Quartiles.of(1e3 * second / piece.batch for second in mine)),
        "tokens_per_second": asdict(ratios([piece.batch * length for length in lengths], mine)),
        "seconds": mine,
    }
    if "saccade" in timed:
        result["saccade_is_faster"] = asdict(ratios(mine, timed["saccade"]))
    if "roofline" in timed:
        result["of_roofline"] = asdict(ratios(timed["roofline"], mine))
    return result
