"""An imported model of OPUS-MT's size on a CPU: our search, and CTranslate2 with its own converter, from one folder.

    python -m bench.imported_cpu --threads 2 --out imported_cpu.json       about ten minutes on two cores
    python -m bench.imported_cpu --tiny                                    the same in small, in seconds

The weights are random, and the end is made impossible, so that every output has `--tokens` tokens
(`bench/imported.py`). Rounds alternate between the programs, and the median counts. Where a machine is busy with other
things, the seconds that its cores computed say more than those that passed. Both run in float32 and in int8, ours where
the CPU multiplies bytes. CTranslate2 is asked in both ways it can use its threads: a batch with all of them, or one for
each.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import torch

import saccade
from bench.imported import OPUS, TINY, write_folder
from saccade.interop.imported_model import ARCHITECTURE
from saccade.interop.imports import read_model
from saccade.kernels import int8_available
from saccade.serving.batching import SearchInput
from saccade.serving.bundle import Bundle
from saccade.serving.model_engines import Precision


def import_folder(folder: Path, out: Path) -> None:
    """What `saccade import` does."""
    imported = read_model(folder)
    Bundle(
        model=imported.model, architecture=ARCHITECTURE, model_config=imported.model_config,
        source_tokenizer=imported.source_tokenizer, target_tokenizer=imported.target_tokenizer, task="translation",
        source_language=None, target_language=None, decoding=imported.decoding,
    ).save(out, imported.card())  # fmt: skip


def programs(folder: Path, work: Path, options: argparse.Namespace) -> dict[str, Callable[[list[list[int]]], Any]]:
    """What translates sources of token ids, by name."""
    import ctranslate2
    from ctranslate2.converters import TransformersConverter

    import_folder(folder, work / "saccade")
    TransformersConverter(str(folder)).convert(str(work / "ctranslate2"))
    found: dict[str, Callable[[list[list[int]]], Any]] = {}
    precisions: list[Precision] = ["float32", "int8"] if int8_available() else ["float32"]
    for precision in precisions:
        translator = saccade.load(work / "saccade", device="cpu", engine="torch", precision=precision)
        search = translator.beam_search(size=options.beam)
        translator.model.maximum_length = options.tokens
        engine = translator.engine(search)
        found[f"saccade, {precision}"] = lambda rows, engine=engine, search=search: engine.search(  # type: ignore[misc]
            [SearchInput(tuple(row)) for row in rows], search
        )
        pieces = translator.source_tokenizer.pieces(range(translator.source_tokenizer.size))
    for form, (inter, intra) in product(("float32", "int8"), {(1, options.threads), (options.threads, 1)}):
        own = ctranslate2.Translator(
            str(work / "ctranslate2"), device="cpu", compute_type=form, inter_threads=inter, intra_threads=intra
        )
        found[f"CTranslate2 {ctranslate2.__version__}, {form}, {inter} x {intra}"] = (
            lambda rows, own=own: own.translate_batch(  # type: ignore[misc]
                [[*(pieces[token] for token in row), "</s>"] for row in rows],
                beam_size=options.beam, max_decoding_length=options.tokens, min_decoding_length=options.tokens,
                max_batch_size=-(-len(rows) // options.threads),
            )
        )  # fmt: skip
    torch.set_num_threads(options.threads)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--tokens", type=int, default=32, help="of every output")
    parser.add_argument("--source", type=int, default=32, help="tokens of every source")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip", nargs="+", default=[], metavar="NAME", help="programs with this in their name")
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sizes = TINY if options.tiny else OPUS
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "folder"
        folder.mkdir()
        write_folder(folder, sizes)
        every = programs(folder, Path(temporary), options)
        run = {name: search for name, search in every.items() if not any(part in name for part in options.skip)}
        for batch in options.batches:
            generator = torch.Generator().manual_seed(batch)
            rows = torch.randint(4, sizes["vocabulary"], (batch, options.source - 1), generator=generator).tolist()
            seconds: dict[str, list[float]] = {name: [] for name in run}
            computed: dict[str, list[float]] = {name: [] for name in run}
            for repeat in range(options.repeats + 1):
                for name, search in run.items():
                    begin, computing = time.perf_counter(), time.process_time()
                    search(rows)
                    if repeat:
                        seconds[name].append(time.perf_counter() - begin)
                        computed[name].append(time.process_time() - computing)
            for name, own in seconds.items():
                speed = batch * options.tokens / statistics.median(own)
                spread = f"{min(own):.2f} to {max(own):.2f} s, {min(computed[name]):.2f} s of computing at the least"
                print(f"batch {batch}: {name}: {speed:,.0f} tokens/s, {spread}", flush=True)
            results.append({"batch": batch, "seconds": seconds, "seconds_of_computing": computed})
    if options.out is not None:
        about = {"torch": torch.__version__, "sizes": sizes, "tokens": options.tokens, "beam": options.beam}
        options.out.write_text(json.dumps({**about, "results": results}, indent=1))


if __name__ == "__main__":
    main()
