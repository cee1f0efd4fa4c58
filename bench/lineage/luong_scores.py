"""Luong et al. 2015, Tables 1 and 4: what attention adds, and which score suits which window.

    python -m bench.lineage.luong_scores [gains|windows|alignments] [--seeds 5] [--steps 1000] [--device cuda]

gains       Short captions of Multi30k, German to English. One change after another, as in the paper's Table 1:
            attention must lower the loss by more than reversal and dropout together.
windows     The same captions; every score with every window. The dot product must suit global attention better than
            the general score, and the general score local attention better than the dot product.
alignments  An invented language in which words move (reordered_language.py). The share of target words whose largest
            weight is not on the word they were made from must be lower with each score that sees the source than
            with the location score, which does not.

Input feeding is left out where it is not the question: without it all positions are attended from at once. The rule is
in arms.py. SACCADE_DATA must name the folder of corpora.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.lineage.arms import Arm, Figures, arguments_of, train_arms, train_on_stores
from bench.lineage.captions import captions
from bench.lineage.reordered_language import VOCABULARY
from bench.lineage.rnnsearch import TEST, alignment_accuracy, sentences, stored
from bench.lineage.small_runs import Trained
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SIZES = {"width": 128, "layers": 1}
PLAIN = {"dropout": 0.0, "reverse_source": False}
KEPT = {"dropout": 0.2, "reverse_source": True}
TRAINING = {"batch_tokens": 2048, "learning_rate": 4e-3, "clip": 5.0}
SCORES, WINDOWS = ("dot", "general", "concat"), ("soft", "local-m", "local-p")
REACH = 3


def attending(**changes: object) -> Arm:
    """Global attention by location without feeding, but for the changes."""
    settings = SIZES | KEPT | {"score": "location", "alignment": "soft", "reach": REACH, "input_feeding": False}
    return Arm("luong", settings | changes, TRAINING)


def gains(asked: argparse.Namespace, folder: Path) -> None:
    arms = {
        "no attention": Arm("seq2seq", SIZES | PLAIN, TRAINING),
        "+ reversed source": Arm("seq2seq", SIZES | PLAIN | {"reverse_source": True}, TRAINING),
        "+ dropout": Arm("seq2seq", SIZES | KEPT, TRAINING),
        "+ attention by location": attending(),
        "+ input feeding": attending(input_feeding=True),
        "+ general score, local-p": attending(input_feeding=True, score="general", alignment="local-p"),
    }
    losses = train_arms(arms, captions(folder / "text", words=1000, longest=15), asked)
    found = Figures("nats a token", losses)
    print(found.table())
    for later, earlier in zip(list(arms)[1:], arms, strict=False):
        print(found.lower(later, earlier))
    before, tricks, attention = (losses[name] for name in ("no attention", "+ dropout", "+ attention by location"))
    gained = {
        "the rest after reversal and dropout": [b - a for a, b in zip(before, tricks, strict=True)],
        "the rest after attention": [b - a for a, b in zip(tricks, attention, strict=True)],
    }
    print(Figures("change in nats", gained).lower(*reversed(gained)))


def windows(asked: argparse.Namespace, folder: Path) -> None:
    arms = {"location, soft": attending()} | {
        f"{score}, {window}": attending(score=score, alignment=window) for window in WINDOWS for score in SCORES
    }
    found = Figures("nats a token", train_arms(arms, captions(folder / "text", words=1000, longest=15), asked))
    print(found.table())
    print(found.lower("dot, soft", "general, soft"))
    for window in WINDOWS[1:]:
        print(found.lower(f"general, {window}", f"dot, {window}"))
    for score in SCORES:
        print(found.lower(f"{score}, soft", "location, soft"))


def misaligned(run: Trained) -> float:
    """The share of target words whose largest weight is not on the word they were made from."""
    test = sentences("move")[:TEST]
    source, target = (Sequences.of([[*one.tokens[side], EOS] for one in test]) for side in (0, 1))
    return 1 - alignment_accuracy(run, test, source.to(run.job.device), target.to(run.job.device))


def alignments(asked: argparse.Namespace, folder: Path) -> None:
    made = sentences("move")
    stores = stored(made[TEST:], folder / "train"), stored(made[:TEST], folder / "test")
    arms = {score: attending(score=score, dropout=0.0, width=64) for score in ("location", *SCORES)}
    shares = train_on_stores(arms, stores, (VOCABULARY, VOCABULARY), asked, misaligned)
    found = Figures("share of words aligned wrongly", shares)
    print(found.table())
    for score in SCORES:
        print(found.lower(score, "location"))


EXPERIMENTS: dict[str, Callable[[argparse.Namespace, Path], None]] = {
    "gains": gains,
    "windows": windows,
    "alignments": alignments,
}


def main() -> None:
    """Those that were named, or all."""
    parser = arguments_of(__doc__, steps=1000)
    parser.add_argument("what", nargs="*", choices=[*EXPERIMENTS, []])
    asked = parser.parse_args()
    for name in asked.what or EXPERIMENTS:
        print(f"\n## {name}\n", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            EXPERIMENTS[name](asked, Path(folder))


if __name__ == "__main__":
    main()
