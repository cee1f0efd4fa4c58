"""saccade beside every peer, on this machine's CPU.

    python -m bench                            everything: training and decoding, small and base; start-up
    python -m bench train --size small --peers huggingface,sockeye
    python -m bench decode --quick
    python -m bench prepare | startup          text to token stores; one sentence from the command line
    python -m bench list                       every other bench, and what this machine lacks for it

What will be left out is said at once. The peers are installed on first use, each in its own environment under
bench/.envs. What was measured today is not measured again unless --again is given, so a run that was stopped continues.
Tables go to standard output and, with every single timing, to bench/results.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import decode, startup, train
from bench.catalogue import listing, obstacles
from bench.implementations import DECODING, TRAINING, select, unknown
from bench.machine import cores, description
from bench.results import Results

SLOW_AT_BASE = ("joeynmt", "x_transformers", "eole")
"""Peers that take too long with a large model: they are measured with the small one only, unless named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "verb", nargs="?", choices=["all", "train", "decode", "prepare", "startup", "list"], default="all"
    )
    parser.add_argument("--size", choices=["tiny", "small", "base"], help="only this size; small and base otherwise")
    parser.add_argument("--peers", help="only these, with commas between; saccade and the roofline are always there")
    parser.add_argument("--threads", type=int, default=cores())
    parser.add_argument("--quick", action="store_true", help="few repeats of few pieces, at the small size")
    parser.add_argument("--again", action="store_true", help="measure also what was measured today")
    parser.add_argument(
        "--results", type=Path, help="the JSON file to continue; one for each machine and day otherwise"
    )
    options = parser.parse_args(arguments)
    if options.verb in ("all", "list"):
        print("\n".join(listing()), flush=True)
    if options.verb == "list":
        return 0
    if options.verb == "prepare":
        return subprocess.run([sys.executable, "-m", "bench.prepare"], check=False).returncode
    peers = None if options.peers is None else options.peers.split(",")
    if strange := unknown(peers or []):
        print(f"error: `--peers` must name known peers, but has {', '.join(strange)}. See bench/implementations.py.")
        return 2

    results = Results(options.results) if options.results else Results.today()
    print(f"{description()}, {options.threads} threads; results go to {results.path}", file=sys.stderr)
    asked = {"all": (*TRAINING, *DECODING), "train": TRAINING, "decode": DECODING}.get(options.verb, ())
    for line in obstacles(select(asked, peers)):
        print(line, file=sys.stderr, flush=True)
    sizes = [options.size] if options.size else ["small"] if options.quick else ["small", "base"]
    for size in sizes:
        if options.verb in ("all", "train"):
            _train(size, peers, options, results)
        if options.verb in ("all", "decode"):
            _decode(size, peers, options, results)
    if options.verb in ("all", "startup"):
        repeats = 3 if options.quick else 10
        if options.again or not results.has("startup", {"repeats": repeats}, list(startup.COMMANDS)):
            results.keep("startup", startup.measure(repeats))
        print(results.shown("startup"), flush=True)
    return 0


def _train(size: str, peers: list[str] | None, options: argparse.Namespace, results: Results) -> None:
    piece = (train.QUICK if options.quick else train.PIECES)[size]
    implementations = [one for one in select(TRAINING, peers) if _worth_it(one.adapter, size, peers)]
    name = f"train {size}"
    settings = {**asdict(piece), "threads": options.threads}
    if options.again or not results.has(name, settings, [one.key for one in implementations]):
        results.keep(name, train.measure(piece, implementations, options.threads, results.path.parent / "logs"))
    print(results.shown(name), flush=True)


def _decode(size: str, peers: list[str] | None, options: argparse.Namespace, results: Results) -> None:
    pieces = (decode.QUICK if options.quick else decode.PIECES)[size]
    implementations = [one for one in select(DECODING, peers) if _worth_it(one.adapter, size, peers)]
    keys = [one.key for one in implementations]
    missing = [
        piece
        for piece in pieces
        if options.again
        or not results.has(f"decode {size} {piece.name}", {**asdict(piece), "threads": options.threads}, keys)
    ]
    if missing:
        for piece, measured in decode.measure(missing, implementations, options.threads, results.path.parent / "logs"):
            results.keep(f"decode {size} {piece.name}", measured)
    for piece in pieces:
        print(results.shown(f"decode {size} {piece.name}"), flush=True)


def _worth_it(adapter: str, size: str, peers: list[str] | None) -> bool:
    return size != "base" or adapter not in SLOW_AT_BASE or peers is not None


if __name__ == "__main__":
    sys.exit(main())
