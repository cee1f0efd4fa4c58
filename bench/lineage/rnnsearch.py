"""Bahdanau et al. 2015: a decoder that searches does not suffer from length, finds the words that belong together, and
beats both a fixed diagonal and no attention where words change places.

    python -m bench.lineage.rnnsearch [--seeds 3] [--parallel N] [--steps N] [--device cuda]

Two invented languages (reordered_language.py) with known alignments: in one adjectives move behind their nouns, in the
other nothing moves. Three systems of equal width. The claims, each for the means over seeds:

    length      from the shortest to the longest sentences, BLEU without attention falls at least twice as much
    alignment   the largest weight is on the right word for more than nine words of ten
    ranking     BLEU of learned > diagonal > none where words move
    diagonal    where nothing moves, the diagonal is within a point of what was learned
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from bench.lineage.reordered_language import VOCABULARY, Made, corpus
from bench.lineage.small_runs import Job, Trained, arguments, mean_and_deviation, run_all, training
from saccade.data.ragged import Ragged
from saccade.data.token_store import StoreWriter
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import fast_search
from saccade.evaluation.bleu import bleu
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

LENGTHS = range(4, 13)
BUCKETS = (range(4, 7), range(7, 10), range(10, 13))
TRAIN, TEST = 12_000, 400
# The deviation of the paper suits a width of 1000 and days of training; at this width learning would take much longer.
SIZES = {"width": 48, "deviation": 0.1, "maximum_length": 64}
SYSTEMS: dict[str, dict[str, Any]] = {"learned": {}, "diagonal": {"alignment": "diagonal"}, "none": {"context": "last"}}
LANGUAGES = {"move": tuple(SYSTEMS), "stay": ("learned", "diagonal")}


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


def sentences(language: str) -> list[Made]:
    """Those to test with, then those to learn from."""
    return corpus(TEST + TRAIN, LENGTHS, language == "move", seed=2015, share_of_nouns=0.3)


def stored(part: Sequence[Made], folder: Path) -> Path:
    """The pairs as a store of tokens."""
    with StoreWriter(folder, VOCABULARY) as writer:
        writer.add(*(Ragged.of([one.tokens[side] for one in part]) for side in (0, 1)))
    return folder


def measured(out: Trained) -> Found:
    """Translates the test sentences, and aligns them with their right translations."""
    language = out.job.label.split()[0]
    test, device = sentences(language)[:TEST], out.job.device
    source, target = (Sequences.of([[*one.tokens[side], EOS] for one in test]).to(device) for side in (0, 1))
    found = fast_search(out.model, source, BeamConfig(size=1, extra_length=4))
    said = [" ".join(f"w{token}" for token in best.tokens if token != EOS) for (best,) in found]
    right = [" ".join(f"w{token}" for token in one.tokens[1]) for one in test]
    examples = [Example("", output, (reference,)) for output, reference in zip(said, right, strict=True)]

    def score(lengths: range) -> float:
        some = [example for example, one in zip(examples, test, strict=True) if len(one.source) in lengths]
        return bleu(some, MetricOptions()).value

    accuracy = alignment_accuracy(out, test, source, target) if out.model.alignment_blocks else None
    return Found(score(LENGTHS), tuple(map(score, BUCKETS)), accuracy)


@torch.no_grad()
def alignment_accuracy(out: Trained, test: Sequence[Made], source: Sequences, target: Sequences) -> float:
    """The share of target words whose largest weight is on the source word they were made from."""
    best = out.model.align(target, out.model.encode(source)).argmax(-1).tolist()
    hits = [
        row[place] == origin for row, one in zip(best, test, strict=True) for place, origin in enumerate(one.places)
    ]
    return mean(hits)


def main() -> None:
    """Trains every system with every seed, on both languages, and prints what came out."""
    asked = arguments(__doc__, steps=900).parse_args()
    seeds = range(1, asked.seeds + 1)
    with tempfile.TemporaryDirectory() as name:
        folder, jobs = Path(name), []
        for language, systems in LANGUAGES.items():
            made = sentences(language)
            stores = stored(made[TEST:], folder / f"{language}-train"), stored(made[:TEST], folder / f"{language}-test")
            for system in systems:
                for seed in seeds:
                    how = training(asked.steps, seed, batch_tokens=450, learning_rate=0.01, warmup=30)
                    place = folder / f"{language}-{system}-{seed}"
                    settings = SIZES | SYSTEMS[system]
                    job = Job(
                        f"{language} {system}",
                        "rnnsearch",
                        settings,
                        stores,
                        (VOCABULARY,) * 2,
                        how,
                        place,
                        asked.device,
                    )
                    jobs.append(job)
        values = iter(run_all(jobs, measured, asked.parallel))
    report({(one, system): [next(values) for _ in seeds] for one, systems in LANGUAGES.items() for system in systems})


def report(found: dict[tuple[str, str], list[Found]]) -> None:
    """The table, and for each claim whether it holds."""
    names = ["BLEU", *(f"{each[0]}-{each[-1]} words" for each in BUCKETS)]
    print(f"\n{'words':6} {'attention':10} {' '.join(f'{name:>15}' for name in names)}   alignment")
    for (language, system), each in found.items():
        columns = [mean_and_deviation([one.bleu for one in each])]
        columns += [mean_and_deviation([one.by_length[bucket] for one in each]) for bucket in range(len(BUCKETS))]
        aligned = "" if each[0].alignment is None else mean_and_deviation([one.alignment or 0.0 for one in each], 3)
        print(f"{language:6} {system:10} {' '.join(f'{one:>15}' for one in columns)}   {aligned}")

    moved = [found["move", system] for system in SYSTEMS]
    learned, diagonal, none = (mean(one.bleu for one in each) for each in moved)
    fall, fall_without = (mean(one.fall for one in each) for each in (moved[0], moved[2]))
    aligned = mean(one.alignment or 0.0 for one in moved[0])
    still, still_diagonal = (mean(one.bleu for one in found["stay", system]) for system in LANGUAGES["stay"])
    tell(
        "length", fall_without >= max(2 * fall, 1), f"BLEU falls by {fall:.2f}, without attention by {fall_without:.2f}"
    )
    tell("alignment", aligned > 0.9, f"{aligned:.3f} of words")
    tell("ranking", learned > diagonal > none, f"BLEU {learned:.2f}, {diagonal:.2f}, {none:.2f}")
    tell("diagonal", still_diagonal > still - 1, f"BLEU {still:.2f} learned, {still_diagonal:.2f} diagonal")


def tell(claim: str, holds: bool, figures: str) -> None:
    """One line."""
    print(f"{claim}: {'holds' if holds else 'DOES NOT HOLD'} ({figures})")


if __name__ == "__main__":
    main()
