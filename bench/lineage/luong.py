"""Luong et al. 2015: feeding lowers perplexity; words that move out of a window are lost on local-m, not on local-p.

    python -m bench.lineage.luong [feeding|local] [--seeds 3] [--device cuda] [--steps N] [--parallel 1]

feeding   Short captions of Multi30k, German to English, in few words; global attention with and without input feeding.
          SACCADE_DATA must name the folder of corpora.
local     An invented language of forty words, each with one translation. In one corpus words stay where they are, in
          the other the second half of the sentence is written first: every word moves by half of the sentence, which
          is further than the window reaches. Scored is the share of words that are most probable where they belong.
"""

import argparse
import random
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch

from bench.lineage.captions import SPARE, captions, prepare_lines
from bench.lineage.small_runs import Trained, greedy_bleu, mean_and_deviation, train_on
from saccade.data.batches import evaluation_batches
from saccade.data.prepared_corpus import Prepared, open_prepared
from saccade.training.config import TrainingConfig

REACH, WORDS, LENGTHS = 2, 40, range(10, 17, 2)


def training(steps: int, seed: int) -> TrainingConfig:
    return TrainingConfig(
        steps=steps,
        batch_tokens=1500,
        learning_rate=4e-3,
        warmup=50,
        schedule="linear",
        clip=5.0,
        label_smoothing=0.0,
        average=1,
        seed=seed,
        validate_every=steps,
        checkpoint_every=steps,
    )


@dataclass(frozen=True)
class Fed:
    """A run with or without feeding: a value, so that several can go on side by side."""

    feeds: bool
    training: TrainingConfig
    folder: Path
    device: str

    def perplexity(self) -> float:
        """Trains it, and says how it went."""
        if self.device == "cpu":
            torch.set_num_threads(1)
        settings = {"width": 64, "layers": 1, "alignment": "soft", "input_feeding": self.feeds, "dropout": 0.0}
        data, seed = open_prepared(self.folder / "text" / "data"), self.training.seed
        folder = self.folder / f"{self.feeds}-{seed}"
        run = train_on(data, "luong", settings, self.training, folder, self.device)
        bleu = greedy_bleu(run, data)
        print(f"| {self.feeds} | {seed} | {run.perplexity:.3f} | {bleu:.2f} | {run.seconds:.0f} |", flush=True)
        return run.perplexity


def feeding(asked: argparse.Namespace, folder: Path) -> None:
    captions(folder / "text", words=600, longest=13)
    seeds, steps = range(1, asked.seeds + 1), asked.steps or 500
    print("| feeding | seed | perplexity | BLEU | seconds |\n|---|---|---|---|---|", flush=True)
    runs = [Fed(feeds, training(steps, seed), folder, asked.device) for seed in seeds for feeds in (False, True)]
    if asked.parallel == 1:
        values = [run.perplexity() for run in runs]
    else:
        with ProcessPoolExecutor(asked.parallel, get_context("spawn")) as pool:
            values = list(pool.map(Fed.perplexity, runs))
    found: dict[bool, list[float]] = {False: [], True: []}
    for run, value in zip(runs, values, strict=True):
        found[run.feeds].append(value)
    better = sum(fed < unfed for unfed, fed in zip(found[False], found[True], strict=True))
    print(
        f"perplexity without feeding {mean_and_deviation(found[False], 3)}, with {mean_and_deviation(found[True], 3)}"
    )
    holds = "holds" if better == asked.seeds else "does not hold"
    print(f"feeding lowers perplexity: {holds} (with {better} of {asked.seeds} seeds)")


def language(moves: bool, count: int, chance: random.Random) -> list[tuple[str, str]]:
    """Pairs in which words stay, or the halves of the sentence change places."""
    found: dict[str, str] = {}
    while len(found) < count:
        source = [f"w{chance.randrange(WORDS)}" for _ in range(chance.choice(LENGTHS))]
        half = len(source) // 2
        target = source[half:] + source[:half] if moves else source
        found[" ".join(source)] = " ".join(word.upper() for word in target)
    return list(found.items())


@torch.no_grad()
def correct(run: Trained, data: Prepared, device: str) -> float:
    """The share of words of held-out targets that are the most probable ones where they stand."""
    right = total = 0
    for _, pairs in evaluation_batches(data.valid, 4096):
        pairs = pairs.to(device)
        best = run.model.decode(pairs.target.reads, run.model.encode(pairs.source)).argmax(-1)
        right += int((best == pairs.target.tokens)[pairs.target.mask].sum())
        total += int(pairs.target.mask.sum())
    return right / total


def local(asked: argparse.Namespace, folder: Path) -> None:
    steps = asked.steps or 400
    shares: dict[tuple[bool, str], list[float]] = {}
    print("| words | alignment | seed | correct | seconds |\n|---|---|---|---|---|")
    for moves in (False, True):
        pairs = language(moves, 6300, random.Random(7))
        data = prepare_lines(pairs[300:], pairs[:300], folder / f"text-{moves}", vocabulary=WORDS + SPARE)
        for alignment in ("local-m", "local-p"):
            for seed in range(1, asked.seeds + 1):
                settings = {
                    "width": 48,
                    "layers": 1,
                    "alignment": alignment,
                    "reach": REACH,
                    "dropout": 0.0,
                    "reverse_source": False,
                }
                place = folder / f"{moves}-{alignment}-{seed}"
                run = train_on(data, "luong", settings, training(steps, seed), place, asked.device)
                share = correct(run, data, asked.device)
                shares.setdefault((moves, alignment), []).append(share)
                what = "move" if moves else "stay"
                print(f"| {what} | {alignment} | {seed} | {share:.3f} | {run.seconds:.0f} |", flush=True)
    for (moves, alignment), values in shares.items():
        print(f"words that {'move' if moves else 'stay'}, {alignment}: {mean_and_deviation(values, 3)}")
    fails = max(shares[True, "local-m"]) < min(shares[False, "local-m"]) - 0.2
    stands = min(shares[True, "local-p"]) > max(shares[True, "local-m"]) + 0.2
    print(f"local-m loses where words move beyond its window: {'holds' if fails else 'does not hold'}")
    print(f"local-p does not: {'holds' if stands else 'does not hold'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["feeding", "local"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, help="other than the usual number")
    parser.add_argument("--parallel", type=int, default=1, help="runs of feeding side by side")
    asked = parser.parse_args()
    if asked.device == "cpu":
        torch.set_num_threads(1)
    for name, experiment in (("local", local), ("feeding", feeding)):
        if asked.what in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                experiment(asked, Path(folder))


if __name__ == "__main__":
    main()
