"""A file of sentences on a CPU: our engines, and CTranslate2 by hand from what `saccade export` wrote.

    python -m bench.search_cpu --source test.en --reference test.es --lines 600 --rounds 3      two minutes on two cores
    python -m bench.search_cpu --source test.en --neighbours --lines 200                        one minute
    python -m bench.search_cpu --source train.en --neighbours --lines 10000 --skip 'by hand'    five minutes

Programs take turns, and the seconds are those that the cores computed (user and system, all threads), which say more
than those that passed where others use the machine. Loading is not counted, for nobody. CTranslate2 by hand gets the
sentences cut into pieces, one worker for each thread, its batches of similar length and the settings of the model's
search; its shortlist is the `vmap.txt` of the export.

`--neighbours` translates each different sentence alone and with others, and counts what changes: with our engines by
the file's order and shuffled, texts and all digits of scores; with CTranslate2 by hand in batches of 32, texts alone,
with and without a shortlist, in int8 and in float32, with padding and with sentences of equal length together.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ctranslate2
import sacrebleu
import torch

import saccade
from saccade.interop.ctranslate2 import export

Program = Callable[[list[str]], list[str]]
BATCH_TOKENS = 384
WHOLE_LINES: dict[str, Any] = {"split_sentences": False, "repair": False, "protect": False}
"""What CTranslate2 by hand does: a line is a sentence, and nothing is looked at afterwards."""


class ByHand:
    """CTranslate2 as its documentation has it be called."""

    def __init__(self, folder: Path, translator: saccade.Translator, form: str, shortlist: bool, threads: int) -> None:
        self.source, self.target = translator.source_tokenizer, translator.target_tokenizer
        self.pieces = self.target.pieces(range(self.target.size))
        self.ids = {piece: token for token, piece in enumerate(self.pieces)}
        self.program = ctranslate2.Translator(
            str(folder), device="cpu", compute_type=form, inter_threads=threads, intra_threads=1
        )
        self.settings = {"beam_size": translator.search.size, "use_vmap": shortlist}

    def __call__(self, texts: Sequence[str], batch: int = BATCH_TOKENS, of: str = "tokens") -> list[str]:
        rows = [list(self.source.pieces(row)) for row in self.source.encode(texts)]
        found = self.program.translate_batch(rows, max_batch_size=batch, batch_type=of, **self.settings)
        return [self.target.decode([self.ids[piece] for piece in one.hypotheses[0]]) for one in found]


def changed(program: ByHand, texts: Sequence[str], *, equal_lengths: bool) -> int:
    """How many sentences are translated otherwise in a batch of 32 than alone."""
    alone = dict(zip(texts, program(texts, 1, "examples"), strict=True))
    groups: dict[int, list[str]] = defaultdict(list)
    for text, row in zip(texts, program.source.encode(texts), strict=True):
        groups[len(row) if equal_lengths else 0].append(text)
    together = {
        text: output
        for group in groups.values()
        for text, output in zip(group, program(group, 32, "examples"), strict=True)
    }
    return sum(together[text] != alone[text] for text in texts)


def changed_by_us(translator: saccade.Translator, texts: list[str]) -> int:
    """How many sentences have another text or score among others, in two orders, than alone."""

    def found(lines: list[str], batch_tokens: int | None) -> dict[str, tuple[str, float]]:
        results = translator.translate_batch(lines, batch_tokens=batch_tokens, **WHOLE_LINES)
        return {result.source: (result.text, result.score) for result in results}

    alone = found(texts, 1)
    shuffled = random.Random(1).sample(texts, len(texts))
    together = (found(texts, None), found(shuffled, 1500))
    return sum(any(others[text] != alone[text] for others in together) for text in texts)


def print_neighbours(
    folder: Path, translators: dict[str, saccade.Translator], texts: list[str], threads: int, skip: Sequence[str]
) -> None:
    print(f"{len(texts)} different sentences, alone and with others: how many translations change")
    for name in ("auto", "torch"):
        translator = translators[name]
        label = f"saccade, engine {name} ({translator.engine().description})"
        if not any(part in label for part in skip):
            print(f"{label}: {changed_by_us(translator, texts)}", flush=True)
    if any(part in "CTranslate2 by hand" for part in skip):
        return
    for form, shortlist, equal in (
        ("int8", False, False), ("int8", True, False), ("float32", True, False), ("int8", True, True)
    ):  # fmt: skip
        program = ByHand(folder, translators["torch"], form, shortlist, threads)
        name = f"{form}, {'shortlist' if shortlist else 'no shortlist'}, {'equal lengths' if equal else 'padded'}"
        print(f"CTranslate2 by hand, {name}: {changed(program, texts, equal_lengths=equal)}", flush=True)


def print_speeds(programs: dict[str, Program], texts: list[str], references: list[str] | None, rounds: int) -> None:
    computed: dict[str, list[float]] = {name: [] for name in programs}
    passed: dict[str, list[float]] = {name: [] for name in programs}
    outputs: dict[str, list[str]] = {}
    for program in programs.values():
        program(texts[:20])
    for _ in range(rounds):
        for name, program in programs.items():
            begin, computing = time.perf_counter(), time.process_time()
            outputs[name] = program(texts)
            computed[name].append(time.process_time() - computing)
            passed[name].append(time.perf_counter() - begin)
    first = outputs[next(iter(programs))]
    for name, own in computed.items():
        seconds = f"{statistics.median(own):.1f} [{min(own):.1f}, {max(own):.1f}] s of computing"
        wall = f"{statistics.median(passed[name]):.1f} s passed"
        score = "" if references is None else f", BLEU {sacrebleu.corpus_bleu(outputs[name], [references]).score:.2f}"
        other = sum(ours != theirs for ours, theirs in zip(outputs[name], first, strict=True))
        print(f"{name}: {seconds}, {wall}{score}, {other} lines differ from the first", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en-es")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--reference", type=Path, default=None)
    parser.add_argument("--lines", type=int, default=600, help="the first so many")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--skip", nargs="+", default=[], metavar="NAME", help="programs with this in their name")
    parser.add_argument("--neighbours", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    texts = asked.source.read_text(encoding="utf-8").splitlines()[: asked.lines]
    translators = {
        engine: saccade.load(asked.model, device="cpu", engine=engine) for engine in ("torch", "auto", "ctranslate2")
    }
    print(f"{len(texts)} lines, {len(set(texts))} of them different; CTranslate2 {ctranslate2.__version__}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "model"
        export(translators["torch"].bundle, folder, "int8")
        if asked.neighbours:
            print_neighbours(folder, translators, list(dict.fromkeys(texts)), asked.threads, asked.skip)
            return
        programs: dict[str, Program] = {
            f"saccade, engine {name}": _plain(translator) for name, translator in translators.items()
        }
        for shortlist in (False, True):
            name = f"CTranslate2 by hand, int8{', shortlist' if shortlist else ''}"
            programs[name] = ByHand(folder, translators["torch"], "int8", shortlist, asked.threads)
        run = {name: program for name, program in programs.items() if not any(part in name for part in asked.skip)}
        references = asked.reference.read_text(encoding="utf-8").splitlines() if asked.reference else None
        print_speeds(run, texts, references[: len(texts)] if references else None, asked.rounds)


def _plain(translator: saccade.Translator) -> Program:
    return lambda texts: translator.translate(texts, **WHOLE_LINES)


if __name__ == "__main__":
    main()
