"""Bahdanau et al. 2015: a decoder that searches does not suffer from length, finds the words that belong together, and
beats both a fixed diagonal and no attention where words change places.

    python -m bench.lineage.rnnsearch [--seeds 3] [--device cuda] [--steps N] [--folder F]

Two invented languages (bench/lineage/reordered.py) with known alignments: in one adjectives move behind their nouns, in
the other nothing moves. Three systems of equal width. The claims, each for the means over seeds:

    length      from the shortest to the longest sentences, BLEU without attention falls at least twice as much
    alignment   the largest weight is on the right word for more than nine words of ten
    ranking     BLEU of learned > diagonal > none where words move
    diagonal    where nothing moves, the diagonal is within a point of what was learned
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import torch

import bench.lineage.whole_runs as whole
from bench.lineage.reordered import Made, corpus
from saccade.evaluation.bleu import bleu
from saccade.evaluation.examples import line_by_line
from saccade.evaluation.score import Conditions
from saccade.sequences import EOS, Sequences
from saccade.serving.translator import load

LENGTHS = range(4, 13)
BUCKETS = (range(4, 7), range(7, 10), range(10, 13))
TRAIN, VALID, TEST = 12_000, 100, 400
TRAINING = {
    "steps": 1000,
    "batch_tokens": 700,
    "learning_rate": 0.005,
    "warmup": 30,
    "schedule": "linear",
    "clip": 1.0,
    "label_smoothing": 0.0,
    "average": 1,
}
# The deviation of the paper suits a width of 1000 and days of training; at this width learning would take much longer.
COMMON = {"architecture": "rnnsearch", "width": 48, "deviation": 0.1, "maximum_length": 64}
SYSTEMS: dict[str, dict[str, Any]] = {
    "learned": COMMON,
    "diagonal": {**COMMON, "alignment": "diagonal"},
    "none": {**COMMON, "context": "last"},
}
MONOTONE = ("learned", "diagonal")


@dataclass(frozen=True)
class Found:
    """What one model does with the test sentences."""

    bleu: float
    by_length: tuple[float, ...]
    alignment: float | None

    @property
    def fall(self) -> float:
        """BLEU of the shortest less BLEU of the longest."""
        return self.by_length[0] - self.by_length[-1]


def written(sentences: Sequence[Made], reorders: bool, folder: Path) -> dict[str, str]:
    """The training and validation files."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for split, part in (("", sentences[TEST + VALID :]), ("valid_", sentences[TEST : TEST + VALID])):
        for side, number in (("source", 0), ("target", 1)):
            path = folder / f"{'reordered' if reorders else 'monotone'}.{split}{side}"
            path.write_text("".join(f"{one.lines[number]}\n" for one in part))
            names[f"{split}{side}"] = str(path)
    return names


def measured(model: Path, test: Sequence[Made], device: str) -> Found:
    """Translates the test sentences, and aligns them with their right translations."""
    translator = load(model, device=device)
    sources, references = ([one.lines[side] for one in test] for side in (0, 1))
    examples = line_by_line(sources, translator.translate(sources), references)

    def score(lengths: range) -> float:
        return bleu(
            [each for each, one in zip(examples, test, strict=True) if len(one.source) in lengths], Conditions()
        ).value

    accuracy = None
    if translator.model.alignment_blocks:
        accuracy = alignment_accuracy(translator, test)
    return Found(score(LENGTHS), tuple(map(score, BUCKETS)), accuracy)


@torch.no_grad()
def alignment_accuracy(translator: Any, test: Sequence[Made]) -> float:
    """The share of target words whose largest weight is on the source word they were made from."""
    right, total = 0, 0
    for start in range(0, len(test), 50):
        part = test[start : start + 50]
        source, target = (
            Sequences.of([[*tokens, EOS] for tokens in tokenizer.encode([one.lines[side] for one in part])])
            for tokenizer, side in ((translator.source_tokenizer, 0), (translator.target_tokenizer, 1))
        )
        device = next(translator.model.parameters()).device
        memory = translator.model.encode(source.to(device))
        best = translator.model.align(target.to(device), memory).argmax(-1).tolist()
        for row, one in zip(best, part, strict=True):
            right += sum(found == place for found, place in zip(row, one.places, strict=False))
            total += len(one.places)
    return right / total


def main() -> None:
    asked = whole.asked(__doc__, corpora=False)
    training = {**TRAINING, **({"steps": asked.steps} if asked.steps else {})}
    training |= {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    found: dict[tuple[str, bool], list[Found]] = {}
    for reorders in (True, False):
        sentences = corpus(TRAIN + VALID + TEST, LENGTHS, reorders, seed=2015, share_of_nouns=0.3)
        place = asked.folder / ("reordered" if reorders else "monotone")
        data = {**written(sentences, reorders, place), "pieces": "word", "joint": False, "maximum_length": 32}
        runs = whole.Runs(place, data, training, asked.device)
        for system in SYSTEMS if reorders else MONOTONE:
            for seed in range(1, asked.seeds + 1):
                reached = runs.run(system, SYSTEMS[system], seed)
                found.setdefault((system, reorders), []).append(measured(reached.model, sentences[:TEST], asked.device))
    report(found)


def report(found: dict[tuple[str, bool], list[Found]]) -> None:
    names = [f"{each[0]}-{each[-1]}" for each in BUCKETS]
    print(f"{'words':10} {'attention':10} {'BLEU':>15} " + " ".join(f"{name:>15}" for name in names) + "   alignment")
    for (system, reorders), each in found.items():
        columns = [whole.spread([one.bleu for one in each])]
        columns += [whole.spread([one.by_length[bucket] for one in each]) for bucket in range(len(BUCKETS))]
        aligned = "" if each[0].alignment is None else whole.spread([one.alignment or 0.0 for one in each], 3)
        print(
            f"{'move' if reorders else 'stay':10} {system:10} {' '.join(f'{one:>15}' for one in columns)}   {aligned}"
        )

    learned, diagonal, none = (found[system, True] for system in SYSTEMS)
    falls = [mean(one.fall for one in each) for each in (learned, none)]
    aligned = mean(one.alignment or 0.0 for one in learned)
    ranks = [mean(one.bleu for one in each) for each in (learned, diagonal, none)]
    still = [mean(one.bleu for one in found[system, False]) for system in MONOTONE]
    verdict(
        "length",
        falls[1] >= 2 * falls[0] and falls[1] > 0,
        f"BLEU falls by {falls[0]:.2f} with, {falls[1]:.2f} without",
    )
    verdict("alignment", aligned > 0.9, f"{aligned:.3f} of words")
    verdict("ranking", ranks[0] > ranks[1] > ranks[2], "BLEU " + " > ".join(f"{rank:.2f}" for rank in ranks))
    verdict("diagonal", still[1] > still[0] - 1, f"BLEU {still[0]:.2f} learned, {still[1]:.2f} diagonal")


def verdict(claim: str, holds: bool, figures: str) -> None:
    print(f"{claim}: {'holds' if holds else 'DOES NOT HOLD'} ({figures})")


if __name__ == "__main__":
    main()
