"""An imported model of OPUS-MT's size against generate() of transformers, which it came from: the same outputs, faster?

    python -m bench.imported --device cuda --out imported.json       about three minutes on an H200, never more than six
    python -m bench.imported --tiny                                  the same in small, on a CPU, in a minute

The weights are random. Such a model hardly ever stops, so the end is made impossible for both, and every output has
`--tokens` tokens. Sources are random tokens of one length. Both search with a beam of 4 in the same precision, read
token ids on the device and leave token ids on the host. Each program runs three times uncounted, so that graphs and
kernels are there; then rounds alternate between the programs. What was in memory before the rounds is set apart from
Python's garbage collector (since 18 November 2026): to look through all that both programs have imported takes a
quarter of a second, which would fall on whichever program happens to run.

transformers runs as it comes, with its growing cache and scaled_dot_product_attention; and, as a second column that the
rule does not look at, with a static cache and its forward pass compiled (torch.compile, "reduce-overhead"), which its
documentation recommends for speed. Where that fails or there is no time left, the reason is written down instead.

The rule. The speed-up at one batch size is the geometric mean over rounds of their seconds by ours. In float32, the
claim "at least 8 times as fast with the same outputs" holds if, at each batch size, the speed-up is at least 8 by three
of its standard errors, and every output is the same to the token or a tie: log P of both, computed again in float64,
differs by at most 1e-3. It does not hold where the speed-up is below 8 by three standard errors, or an output is
neither. Anything else is undecided. In bfloat16 the roundings of two programs give different outputs. There ours must
be as good: where outputs differ (64 at most are looked at), the mean of log P of ours less theirs, in float64, must not
be below zero by three of its standard errors (since 18 November 2026; before, only speed was judged). Beside it stands
how many outputs of generate() itself stay the same when it is given the batch in two halves.
"""

import argparse
import copy
import gc
import importlib.metadata
import io
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import sentencepiece
import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.scoring import score_pairs
from saccade.decoding.searcher import Searcher
from saccade.interop.imported_model import ImportedModel
from saccade.interop.imports import read_model
from saccade.sequences import Pairs, Sequences

OPUS = {"layers": 6, "width": 512, "inner": 2048, "heads": 8, "vocabulary": 58_101}
TINY = {"layers": 2, "width": 32, "inner": 64, "heads": 4, "vocabulary": 301}
NEVER = -1e4
TIMES, STANDARD_ERRORS, TIE = 8.0, 3, 1e-3
WARM_UP = 3
NO_MORE_COMPILING = 200.0
"""Seconds after the start at which nothing more is compiled, so that all ends within six minutes."""


def write_folder(folder: Path, sizes: dict[str, int]) -> Any:
    """A folder as it is downloaded, with random weights; returns the model of transformers."""
    import transformers

    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(["a b c d e f g h"] * 9), model_writer=made, vocab_size=13, hard_vocab_limit=False,
        num_threads=1, minloglevel=2,
    )  # fmt: skip
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(made.getvalue())
    pad = sizes["vocabulary"] - 1
    pieces = ["</s>", "<unk>", *(f"piece{number}" for number in range(2, pad)), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    each = {f"{side}_{name}": sizes[size] for side in ("encoder", "decoder")
            for name, size in (("layers", "layers"), ("ffn_dim", "inner"), ("attention_heads", "heads"))}  # fmt: skip
    config = transformers.MarianConfig(
        vocab_size=sizes["vocabulary"], d_model=sizes["width"], activation_function="swish", scale_embedding=True,
        max_position_embeddings=512, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=None, init_std=0.1, **each,
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.MarianMTModel(config).eval()
    chosen = model.generation_config
    chosen.num_beams, chosen.bad_words_ids, chosen.renormalize_logits, chosen.max_length = 4, [[pad]], True, 512
    model.final_logits_bias[0, 0] = NEVER
    model.save_pretrained(folder)
    return model


class Workload:
    """Random sources of one batch size, and how both programs translate them."""

    def __init__(self, vocabulary: int, imported: ImportedModel, batch: int, options: argparse.Namespace) -> None:
        generator = torch.Generator().manual_seed(batch)
        ids = torch.randint(2, vocabulary - 1, (batch, options.source), generator=generator)
        ids[:, -1] = 0  # the end, in Marian's vocabularies
        original = imported.source_tokenizer.vocabulary
        assert original is not None
        self.ours_of = {number: token for token, number in enumerate(original.original_ids)}
        self.source = Sequences.of([self.in_our_ids(row) for row in ids.tolist()], options.device)
        self._search = replace(BeamConfig(**imported.decoding), extra_length=options.tokens)
        self._searcher = Searcher(imported.model, getattr(torch, options.precision))
        self._ids, self._tokens = ids.to(options.device), options.tokens
        self._ones = torch.ones_like(self._ids)

    def in_our_ids(self, row: Sequence[int]) -> tuple[int, ...]:
        """Token ids of transformers as ours."""
        return tuple(self.ours_of[number] for number in row)

    def search(self) -> list[tuple[int, ...]]:
        """Our outputs."""
        outputs = [best.tokens for [best] in self._searcher(self.source, self._search)]
        assert all(len(output) == self._tokens for output in outputs), "an output ended, which was made impossible"
        return outputs

    def generate(self, model: Any, **settings: Any) -> list[list[int]]:
        """The outputs of transformers, in its ids, without the token it starts from."""
        outputs = model.generate(
            input_ids=self._ids, attention_mask=self._ones, max_new_tokens=self._tokens, max_length=None, **settings
        )
        rows: list[list[int]] = outputs[:, 1:].tolist()
        return rows

    def halves(self) -> list["Workload"]:
        """The same sources as two batches, for transformers; one source stays one batch."""
        cut = max(1, len(self._ids) // 2)
        parts = []
        for ids in filter(len, (self._ids[:cut], self._ids[cut:])):
            part = copy.copy(self)
            part._ids, part._ones = ids, torch.ones_like(ids)
            parts.append(part)
        return parts


@torch.inference_mode()
def alternate(
    programs: dict[str, Callable[[], Any]], repeats: int, device: str
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """What each program gave, and its seconds round by round after rounds that are not counted."""
    found: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    gc.collect()
    gc.freeze()
    for number in range(WARM_UP + repeats):
        for name, run in programs.items():
            _wait(device)
            begin = time.perf_counter()
            found[name] = run()
            _wait(device)
            if number >= WARM_UP:
                seconds[name].append(time.perf_counter() - begin)
    return found, seconds


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def compared(theirs: Any, imported: ImportedModel, batch: int, options: argparse.Namespace) -> dict[str, Any]:
    """Both programs at one batch size: seconds, tokens per second, and how many outputs are the same."""
    load = Workload(theirs.config.vocab_size, imported, batch, options)
    programs: dict[str, Callable[[], Any]] = {"saccade": load.search, "transformers": lambda: load.generate(theirs)}
    found, seconds = alternate(programs, options.repeats, options.device)
    ours, expected = found["saccade"], [load.in_our_ids(row) for row in found["transformers"]]
    in_halves = [row for half in load.halves() for row in half.generate(theirs)]
    return {
        "batch": batch,
        "seconds": seconds,
        "tokens_per_second": {name: speed(batch, each, options) for name, each in seconds.items()},
        "speed_up": {"transformers": speed_up(seconds["transformers"], seconds["saccade"])},
        "same_outputs": sum(one == other for one, other in zip(ours, expected, strict=True)),
        "same_in_halves": sum(one == other for one, other in zip(in_halves, found["transformers"], strict=True)),
        "differences_of_others": differences(imported, load.source, ours, expected),
    }


def compared_compiled(
    theirs: Any, imported: ImportedModel, options: argparse.Namespace, result: dict[str, Any]
) -> None:
    """Adds the second column to the result of a batch size, or why it is missing."""
    if time.perf_counter() - options.began > NO_MORE_COMPILING:
        result["not_compiled"] = "no time was left"
        return
    load = Workload(theirs.config.vocab_size, imported, result["batch"], options)
    torch.compiler.reset()
    quick = copy.deepcopy(theirs)
    quick.compile(mode="reduce-overhead", dynamic=False)  # generate() calls it for every step
    name = "transformers, compiled"
    programs = {"saccade": load.search, name: lambda: load.generate(quick, cache_implementation="static")}
    try:
        _, seconds = alternate(programs, options.repeats, options.device)
    except Exception as problem:  # noqa: BLE001  a peer that cannot do it must not stop the rest
        result["not_compiled"] = f"{type(problem).__name__}: {problem}"[:500]
        return
    result["seconds"][name] = seconds[name]
    result["tokens_per_second"][name] = speed(result["batch"], seconds[name], options)
    result["speed_up"][name] = speed_up(seconds[name], seconds["saccade"])


def speed(batch: int, seconds: Sequence[float], options: argparse.Namespace) -> float:
    """Tokens written per second."""
    written: int = batch * options.tokens
    return written / statistics.median(seconds)


def speed_up(theirs: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """The geometric mean of their seconds by ours, round by round, and the ends of three standard errors around it."""
    logs = [math.log(slow / fast) for slow, fast in zip(theirs, ours, strict=True)]
    mean = statistics.mean(logs)
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
    low, high = mean - STANDARD_ERRORS * error, mean + STANDARD_ERRORS * error
    return {"mean": math.exp(mean), "low": math.exp(low), "high": math.exp(high) if high < 700 else math.inf}


def differences(
    imported: ImportedModel, source: Sequences, ours: Sequence[tuple[int, ...]], theirs: Sequence[tuple[int, ...]]
) -> list[float]:
    """Log P of our output minus that of theirs where they are not the same, for 64 at most: in float64, on the CPU."""
    rows = [row for row, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other][:64]
    if not rows:
        return []
    model = copy.deepcopy(imported.model).cpu().double()
    chosen = Sequences(source.tokens.cpu(), source.lengths.cpu()).select(torch.tensor(rows))
    totals = [
        score_pairs(model, Pairs(chosen, Sequences.of([outputs[row] for row in rows]))).sum(dim=1)
        for outputs in (ours, theirs)
    ]
    found: list[float] = (totals[0] - totals[1]).tolist()
    return found


def verdict(results: Sequence[dict[str, Any]], precision: str) -> str:
    """The answer by the rule above."""
    speeds = [result["speed_up"]["transformers"] for result in results]
    gaps = [gap for result in results for gap in result["differences_of_others"]]
    if any(speed["high"] < TIMES for speed in speeds):
        return "does not hold"
    if worse(gaps) if precision != "float32" else any(abs(gap) > TIE for gap in gaps):
        return "does not hold"
    return "holds" if all(speed["low"] >= TIMES for speed in speeds) else "undecided"


def worse(gaps: Sequence[float]) -> bool:
    """Whether our outputs are less probable than theirs, by three standard errors."""
    if len(gaps) < 2:
        return False
    return statistics.mean(gaps) + STANDARD_ERRORS * statistics.stdev(gaps) / math.sqrt(len(gaps)) < 0


def told(result: dict[str, Any]) -> str:
    """One batch size in a line."""
    columns = []
    for name, speed in result["tokens_per_second"].items():
        times = result["speed_up"].get(name)
        range_of = "" if times is None else f" ({times['mean']:.1f} times, {times['low']:.1f} to {times['high']:.1f})"
        columns.append(f"{name} {speed:,.0f} tokens/s{range_of}")
    gaps = result["differences_of_others"]
    largest = max(map(abs, gaps), default=0.0)
    apart = f", the others {statistics.mean(gaps):+.1e} in log P on average, {largest:.1e} at most" if gaps else ""
    failed = f"; not compiled: {result['not_compiled']}" if "not_compiled" in result else ""
    same = (
        f"{result['same_outputs']} of {result['batch']} outputs the same{apart}; "
        f"generate() has {result['same_in_halves']} the same as with two half batches"
    )
    return f"batch {result['batch']}: {'; '.join(columns)}; {same}{failed}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--batches", type=int, nargs="+", default=None)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--tokens", type=int, default=32, help="of every output")
    parser.add_argument("--source", type=int, default=32, help="tokens of every source")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="without the second column")
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    options.began = time.perf_counter()
    torch.backends.cuda.matmul.allow_tf32 = False  # both in full float32
    sizes = TINY if options.tiny else OPUS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        theirs = write_folder(folder, sizes).to(options.device, getattr(torch, options.precision))
        imported = read_model(folder)
    imported.model.to(options.device)
    imported.model.maximum_length = max(options.tokens, options.source)
    about = {
        "torch": torch.__version__, "transformers": importlib.metadata.version("transformers"),
        "device": torch.cuda.get_device_name() if options.device.startswith("cuda") else options.device,
        "precision": options.precision, "sizes": sizes, "source": options.source, "tokens": options.tokens,
    }  # fmt: skip
    results: list[dict[str, Any]] = []

    def keep() -> None:  # after every step: what was measured is kept whatever comes
        if options.out is not None:
            answer = verdict(results, options.precision)
            options.out.write_text(json.dumps({**about, "verdict": answer, "results": results}, indent=1))

    for batch in options.batches or ([1, 3] if options.tiny else [1, 64, 512]):
        results.append(compared(theirs, imported, batch, options))
        print(told(results[-1]), flush=True)
        keep()
    print(f"{verdict(results, options.precision)}; {time.perf_counter() - options.began:.0f} s", flush=True)
    for result in results if options.compile else ():
        compared_compiled(theirs, imported, options, result)
        print(told(result), flush=True)
        keep()


if __name__ == "__main__":
    main()
