"""A trained model that was imported, against generate() of transformers: real sentences, the same outputs, faster?

    python -m bench.imported_trained --run RUN --train --device cuda     trains it: two minutes of an H200
    python -m bench.imported_trained --run RUN --device cuda [--precision float16] [--out FILE]
    python -m bench.imported_trained --run RUN --tiny [--train]          both in small, on a CPU

`bench.imported` has random weights: every output is as long as is allowed, and what is nearly as good is
everywhere. This one has what people use: a model of OPUS-MT's size and kind (6 + 6 layers of 512, the norm after
each sub-layer, SiLU, one matrix of 58,101 pieces), trained on Tatoeba, English to German, three sentences a line so
that lines are as long as news; then exported to Hugging Face, without what only saccade reads, and imported as a
stranger's model would be. Inputs are lines of the test set in their order; outputs end where the model ends them.
Both programs search as the folder's generation config says, which says what OPUS-MT's say: a beam of 4, log P over the
length, and generate()'s own rule of when to stop. SACCADE_DATA must name the folder of corpora.

At batch 1 eight lines are translated one after another, at 64 four batches, at 512 one. Rounds, ratios and their
errors are those of `bench.imported`.

The rule, which stood before the first run. The speed-up at each batch size must be at least 8 by three standard
errors. Every output must be the same to the token, or a tie: both are scored again in float64 (log P over the
length penalty), and their scores are nearer than three times what rounding does to such a difference, which is the
root of two times the root mean square, over all our outputs, of the score in the search's precision less that in
float64. The claim holds where both are so at every batch size; it does not where a speed-up is below 8 by three
standard errors, or an output is neither the same nor a tie; else it is undecided. Beside it stand BLEU of both
programs, and how many outputs of each a search in float64 finds too: what rounding costs either of them.
"""

import argparse
import copy
import importlib.metadata
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from bench.imported import TIMES, alternate, speed_up
from saccade.data.catalogue import find
from saccade.data.parallel_text import every_pair
from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.scoring import score_pairs
from saccade.decoding.searcher import Searcher
from saccade.interop.exported_folder import SEAL
from saccade.interop.huggingface_export import export
from saccade.interop.imported_model import ImportedModel
from saccade.interop.imports import read_model
from saccade.recipes.recipe import build_recipe
from saccade.runs.run import train
from saccade.sequences import Pairs, Sequences
from saccade.serving.bundle import Bundle
from saccade.special_tokens import EOS

CORPUS, JOINED = "tatoeba-en-de", 3
OPUS = {"encoder_layers": 6, "decoder_layers": 6, "width": 512, "inner_width": 2048, "heads": 8}
TINY = {"encoder_layers": 2, "decoder_layers": 2, "width": 64, "inner_width": 128, "heads": 4}
PIECES = {False: 58_101, True: 2_000}
BATCHES = {1: 8, 64: 4, 512: 1}
"""How many batches of each size."""
TIE = 3.0


def joined_pairs(split: str) -> list[tuple[str, str]]:
    """Lines of several sentences and their translations."""
    pairs = list(every_pair(find(CORPUS, "en", "de").splits[split]))
    return [
        (" ".join(pair[0] for pair in some), " ".join(pair[1] for pair in some))
        for some in (pairs[first : first + JOINED] for first in range(0, len(pairs) - JOINED + 1, JOINED))
    ]


def train_model(run: Path, tiny: bool, device: str) -> None:
    """Trains the model into this folder; what was interrupted goes on."""
    text = run.with_name(run.name + "-text")
    text.mkdir(parents=True, exist_ok=True)
    files = {}
    for split in ("train", "valid", "test"):
        for side, lines in zip(("source", "target"), zip(*joined_pairs(split), strict=True), strict=True):
            path = text / f"{split}.{side}"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            files[side if split == "train" else f"{split}_{side}"] = str(path)
    document = {
        "name": "imported-trained",
        "data": {**files, "source_language": "en", "target_language": "de", "maximum_length": 128}
        | {"vocabulary": PIECES[tiny]},
        "model": {"architecture": "transformer", **(TINY if tiny else OPUS), "activation": "silu", "norm": "post"}
        | {"tie": "all", "dropout": 0.3, "maximum_length": 512},
        "training": {"steps": 300 if tiny else 3000, "schedule": "linear", "warmup": 50 if tiny else 500}
        | {"learning_rate": 0.005 if tiny else 0.0007}
        | {"batch_tokens": 1000 if tiny else 16_000, "validate_every": 3000, "checkpoint_every": 500, "average": 1},
        "decoding": {"size": 4, "alpha": 1.0, "length_rule": "power", "stop": "current-length", "ends": "beam"},
    }
    assert not train(build_recipe(document), run, device=device).interrupted


@dataclass(frozen=True)
class Work:
    """Lines as both programs read them: in our token ids, and in those of transformers."""

    ours: Sequences
    theirs: dict[str, torch.Tensor]
    references: list[str]


class Programs:
    """Both programs with the same model on the same device in the same precision."""

    def __init__(self, folder: Path, device: str, precision: str) -> None:
        import transformers

        self.device, kind = device, getattr(torch, precision)
        self.imported: ImportedModel = read_model(folder)
        self.model = self.imported.model.to(device)
        self.search = BeamConfig(**self.imported.decoding)
        self._searcher = Searcher(self.model, kind)
        self._theirs = transformers.MarianMTModel.from_pretrained(folder).eval().to(device, kind)
        self._padding, self.pieces = self._theirs.config.pad_token_id, self._theirs.config.vocab_size
        vocabulary = self.imported.source_tokenizer.vocabulary  # type: ignore[attr-defined] # imports have one
        self._theirs_of = vocabulary.original_ids
        self._ours_of = {number: token for token, number in enumerate(vocabulary.original_ids)}

    def work(self, pairs: Sequence[tuple[str, str]]) -> Work:
        """A batch of these lines."""
        encoded = self.imported.source_tokenizer.encode([source for source, _ in pairs])
        rows = [[*tokens, EOS] for tokens in encoded]
        ids = torch.full((len(rows), max(map(len, rows))), self._padding)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor([self._theirs_of[token] for token in row])
        given = {"input_ids": ids, "attention_mask": (ids != self._padding).long()}
        return Work(
            Sequences.of(rows, self.device),
            {name: tensor.to(self.device) for name, tensor in given.items()},
            [target for _, target in pairs],
        )

    def ours(self, work: Sequence[Work]) -> list[Hypothesis]:
        """What saccade's search finds."""
        return self.found_by(self._searcher, work)

    def found_by(self, searcher: Searcher, work: Sequence[Work]) -> list[Hypothesis]:
        """What this search finds, which may compute in another precision."""
        return [best for each in work for [best] in searcher(each.ours, self.search)]

    def generated(self, work: Sequence[Work]) -> list[tuple[int, ...]]:
        """What generate() finds, in our ids, up to the end."""
        return [self._until_end(row) for each in work for row in self._theirs.generate(**each.theirs).tolist()]

    def _until_end(self, row: Sequence[int]) -> tuple[int, ...]:
        """Without the token it starts from, and without padding."""
        end: int = self._theirs.config.eos_token_id
        written = row[1:]
        return tuple(self._ours_of[number] for number in written[: written.index(end) + 1 if end in written else None])

    def bleu(self, outputs: Sequence[tuple[int, ...]], work: Sequence[Work]) -> float:
        """Of these outputs."""
        texts = [self.imported.target_tokenizer.decode(output) for output in outputs]
        references = [line for each in work for line in each.references]
        return float(sacrebleu.corpus_bleu(texts, [references]).score)


def scores(programs: Programs, model: Any, work: Sequence[Work], outputs: Sequence[tuple[int, ...]]) -> list[float]:
    """What a search ranks by, computed by forced decoding."""
    found: list[float] = []
    for each in work:
        some = outputs[len(found) : len(found) + len(each.ours)]
        target = Sequences.of(list(some), programs.device)
        totals = score_pairs(model, Pairs(each.ours, target)).double().sum(dim=1)
        found += (totals / programs.search.penalty(target.lengths.double())).tolist()
    return found


def compared(programs: Programs, size: int, pairs: Sequence[tuple[str, str]], repeats: int) -> dict[str, Any]:
    """Both programs at one batch size."""
    exact = copy.deepcopy(programs.model).double()
    work = [programs.work(pairs[first : first + size]) for first in range(0, len(pairs), size)]
    both: dict[str, Callable[[], Any]] = {
        "saccade": lambda: programs.ours(work),
        "transformers": lambda: programs.generated(work),
    }
    found, seconds = alternate(both, repeats, programs.device)
    ours, theirs = [best.tokens for best in found["saccade"]], found["transformers"]
    best_exactly = programs.found_by(Searcher(exact, torch.float64), work)
    ours_exactly, theirs_exactly = (scores(programs, exact, work, outputs) for outputs in (ours, theirs))
    tokens = {"saccade": sum(map(len, ours)), "transformers": sum(map(len, theirs))}
    return {
        "batch": size,
        "lines": len(pairs),
        "seconds": seconds,
        "tokens_per_second": {name: tokens[name] / statistics.median(each) for name, each in seconds.items()},
        "speed_up": speed_up(seconds["transformers"], seconds["saccade"]),
        "same_outputs": sum(one == other for one, other in zip(ours, theirs, strict=True)),
        "ours_less_theirs": [
            one - other
            for one, other, mine, yours in zip(ours_exactly, theirs_exactly, ours, theirs, strict=True)
            if mine != yours
        ],
        "rounding": [best.score - score for best, score in zip(found["saccade"], ours_exactly, strict=True)],
        "as_in_float64": {
            name: sum(one == best.tokens for one, best in zip(outputs, best_exactly, strict=True))
            for name, outputs in (("saccade", ours), ("transformers", theirs))
        },
        "bleu": {"saccade": programs.bleu(ours, work), "transformers": programs.bleu(theirs, work)},
    }


def widest_tie(results: Sequence[dict[str, Any]]) -> float:
    """How far the scores of two outputs may lie apart by rounding alone."""
    rounding = list(chain.from_iterable(result["rounding"] for result in results))
    return TIE * math.sqrt(2 * statistics.fmean(one * one for one in rounding))


def verdict(results: Sequence[dict[str, Any]]) -> str:
    """The answer by the rule above."""
    tie = widest_tie(results)
    neither = any(abs(gap) >= tie for result in results for gap in result["ours_less_theirs"])
    if neither or any(result["speed_up"]["high"] < TIMES for result in results):
        return "does not hold"
    return "holds" if all(result["speed_up"]["low"] >= TIMES for result in results) else "undecided"


def told(result: dict[str, Any]) -> str:
    """One batch size in a line."""
    speed, times, bleu = result["tokens_per_second"], result["speed_up"], result["bleu"]
    exact = result["as_in_float64"]
    gaps = result["ours_less_theirs"]
    apart = f", scores of the others apart by {', '.join(f'{gap:+.1e}' for gap in gaps)}" if gaps else ""
    return (
        f"batch {result['batch']}: saccade {speed['saccade']:,.0f} tokens/s, transformers "
        f"{speed['transformers']:,.0f} ({times['mean']:.1f} times, {times['low']:.1f} to {times['high']:.1f}); "
        f"{result['same_outputs']} of {result['lines']} outputs the same{apart}; "
        f"as in float64: {exact['saccade']} and {exact['transformers']}; "
        f"BLEU {bleu['saccade']:.2f} and {bleu['transformers']:.2f}"
    )


def measure(asked: argparse.Namespace) -> None:
    """Exports the trained model, imports it again, and compares the programs at every batch size."""
    torch.backends.cuda.matmul.allow_tf32 = False  # float32 is float32 in both
    began, bundle = time.perf_counter(), Bundle.load(asked.run / "model")
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "exported"
        export(bundle, folder, "")
        (folder / SEAL).unlink()  # what it was with us: a stranger's model has no such file
        programs = Programs(folder, asked.device, asked.precision)
    about = {
        "torch": torch.__version__, "transformers": importlib.metadata.version("transformers"),
        "device": torch.cuda.get_device_name() if asked.device.startswith("cuda") else asked.device,
        "precision": asked.precision, "pieces": programs.pieces, "search": asdict(programs.search),
    }  # fmt: skip
    pairs = joined_pairs("test")
    for size, count in BATCHES.items() if not asked.tiny else ((1, 2), (4, 2)):
        result = compared(programs, size, pairs[: size * count], asked.repeats)
        results.append(result)
        print(told(result), flush=True)
        content = {**about, "verdict": verdict(results), "widest_tie": widest_tie(results), "results": results}
        if asked.out is not None:  # after every step: what was measured is kept whatever comes
            asked.out.write_text(json.dumps(content, indent=1))
    print(
        f"{asked.precision}: {verdict(results)}; a tie is less than {widest_tie(results):.1e}; "
        f"{time.perf_counter() - began:.0f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="the folder of the model's training")
    parser.add_argument("--train", action="store_true", help="train it, and measure nothing")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--precision", choices=["float32", "bfloat16", "float16"], default="float32")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if asked.train:
        train_model(asked.run, asked.tiny, asked.device)
    else:
        measure(asked)


if __name__ == "__main__":
    main()
