"""Our own search on a CPU beside CTranslate2's, both in float32 or both in int8: tokens in, tokens out, in turns.

    python -m bench.own_search_cpu                                  one minute on one core
    python -m bench.own_search_cpu --source test.en                 two minutes
    python -m bench.own_search_cpu --source test.en --precision int8
    python -m bench.own_search_cpu --threads 2 --busy 1

The model is one of `workload.py`, with random weights and forced lengths; or with `--source` a trained one, which
translates the lines of a file. Each batch is given after the last one is done, as a service is given its requests. Two
speeds are printed: tokens for each second that the cores computed (user and system, all threads), which others on the
machine hardly change, and for each second that passed. With `--busy`, so many processes do nothing but keep a core busy
meanwhile. Our search goes on until nothing can beat its best output; with `--their-rules` it stops at as many finished
ones as the beam is wide, like CTranslate2's. `--plain` searches with torch alone, as where the C++ of the kernels was
not built.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import ctranslate2
import torch

import saccade
from bench import workload
from bench.adapters.ctranslate2 import Adapter as Ctranslate2Adapter
from bench.adapters.saccade import Adapter as SaccadeAdapter
from saccade.decoding.beam import BeamConfig
from saccade.decoding.searcher import Searcher
from saccade.interop.ctranslate2 import Form, export
from saccade.kernels import cpu_library
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

Rows = list[list[int]]
Program = Callable[[Rows], int]
"""Searches a batch and says how many tokens it wrote."""


def ours(translator: saccade.Translator, config: BeamConfig, precision: str) -> Program:
    searcher = Searcher(translator.model, torch.int8 if precision == "int8" else None)

    def search(rows: Rows) -> int:
        found = searcher(Sequences.of([[*row, EOS] for row in rows]), config)
        return sum(len(hypotheses[0].tokens) for hypotheses in found)

    return search


def theirs(translator: saccade.Translator, config: BeamConfig, precision: Form, folder: Path, threads: int) -> Program:
    export(translator.bundle, folder, form=precision)
    program = ctranslate2.Translator(str(folder), compute_type=precision, inter_threads=1, intra_threads=threads)
    pieces = translator.source_tokenizer.pieces

    def search(rows: Rows) -> int:
        found = program.translate_batch([list(pieces(row)) for row in rows], beam_size=config.size)
        return sum(len(one.hypotheses[0]) + 1 for one in found)  # the end of the sentence counts, as in ours

    return search


def trained(asked: argparse.Namespace, folder: Path) -> tuple[list[Program], Rows]:
    translator = saccade.load(asked.model, device="cpu", engine="torch")
    chosen: dict[str, Any] = {"stop": "first-finished", "ends": "beam"} if asked.their_rules else {}
    config = translator.beam_search(**chosen, **({} if asked.beam is None else {"size": asked.beam}))
    lines = asked.source.read_text(encoding="utf-8").splitlines()[: asked.lines]
    rows = [list(row) for row in translator.source_tokenizer.encode(lines)]
    other = theirs(translator, config, asked.precision, folder, asked.threads)
    return [ours(translator, config, asked.precision), other], rows


def random(asked: argparse.Namespace) -> tuple[list[Program], Rows]:
    size, beam = workload.SIZES[asked.size], asked.beam or 4
    own = "int8" if asked.precision == "int8" else ""
    adapters = [
        kind(workload.Setup(size, "decode", variant, asked.threads))
        for kind, variant in ((SaccadeAdapter, own), (Ctranslate2Adapter, asked.precision))
    ]
    (rows,) = workload.sources(asked.lines, asked.lines, size.vocabulary)
    programs = [lambda rows, each=each: sum(map(len, each.decode(rows, beam))) for each in adapters]
    return programs, rows


def measured(program: Program, batches: list[Rows]) -> tuple[float, float]:
    """Tokens for each second of computing, and for each that passed."""
    begin, computing = time.perf_counter(), time.process_time()
    tokens = sum(program(batch) for batch in batches)
    return tokens / (time.process_time() - computing), tokens / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en-es")
    parser.add_argument("--size", default="small", choices=workload.SIZES)
    parser.add_argument("--source", type=Path, default=None)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--beam", type=int, default=None, help="the model's own unless given")
    parser.add_argument("--their-rules", action="store_true", help="a trained model stops where CTranslate2 stops")
    parser.add_argument("--lines", type=int, default=96, help="the first so many; a quarter of them in batches of one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", default="float32", choices=["float32", "int8"])
    parser.add_argument("--busy", type=int, default=0, metavar="CORES")
    parser.add_argument("--plain", action="store_true", help="with torch alone")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    if asked.plain:
        cpu_library.load = lambda: None
    elif cpu_library.load() is None:
        sys.exit(
            f"The compiled library is missing ({cpu_library.build() or 'built just now: once more'}), or say --plain."
        )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "model"
        programs, rows = trained(asked, folder) if asked.source else random(asked)
        for _ in range(asked.busy):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        for size in asked.batches:
            some = rows if size > 1 else rows[::4]
            batches = [some[start : start + size] for start in range(0, len(some), size)]
            for program in programs:
                program(batches[0])
            rounds = [[measured(program, batches) for program in programs] for _ in range(asked.rounds)]
            setting = f"batch {size}, {asked.threads} threads, {asked.busy} cores kept busy"
            for which, kind in enumerate(("computing", "passing")):
                own, other = ([speeds[place][which] for speeds in rounds] for place in (0, 1))
                ratios = [one / two for one, two in zip(own, other, strict=True)]
                print(
                    f"{setting}: {statistics.median(own):.0f} tokens a second of {kind}, CTranslate2 {asked.precision} "
                    f"{statistics.median(other):.0f}; {statistics.median(ratios):.2f} times "
                    f"[{min(ratios):.2f}, {max(ratios):.2f}]",
                    flush=True,
                )


if __name__ == "__main__":
    main()
