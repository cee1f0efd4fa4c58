"""LSTMN, Cheng et al. 2016: a lower perplexity than an LSTM of equal size, and copying over distances an LSTM cannot.

python -m bench.lineage.lstmn [--seeds 3] [--steps 300] [--distances 10 40 80] [--device cpu]

Perplexity is that of words of English captions (Multi30k, from SACCADE_DATA); sizes are equal in hidden units, as in
the paper, and once more in parameters. To copy: a line is a letter, as many blanks as the distance, a question, and
the letter again; counted is how often that last one is the most probable.
"""

import argparse
import gzip
import os
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from bench.lineage.held_out import Learned, learned
from bench.lineage.whole_runs import spread
from saccade.data.batches import evaluation_batches
from saccade.data.prepare import DataConfig, prepare
from saccade.data.store import TokenStore
from saccade.models.contract import SPECIAL
from saccade.training.config import TrainingConfig

LETTERS = 16
BLANK, QUESTION = SPECIAL + LETTERS, SPECIAL + LETTERS + 1
LSTM = ("rnn-language-model", {"cell": "lstm", "width": 64, "embedding_width": 64})
WIDER_LSTM = ("rnn-language-model", {"cell": "lstm", "width": 72, "embedding_width": 64})
LSTMN = ("lstmn-language-model", {"width": 64, "embedding_width": 64})


def config(steps: int, seed: int, rate: float) -> TrainingConfig:
    """Adam, since a few hundred steps are all there is."""
    return TrainingConfig(
        steps=steps,
        batch_tokens=2048,
        learning_rate=rate,
        schedule="linear",
        warmup=20,
        clip=5.0,
        label_smoothing=0.0,
        validate_every=steps,
        checkpoint_every=steps,
        seed=seed,
    )


def lines(count: int, distance: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Lines that end with the letter they began with."""
    chance = random.Random(seed)
    for _ in range(count):
        letter = SPECIAL + chance.randrange(LETTERS)
        yield [], [letter, *[BLANK] * distance, QUESTION, letter]


@torch.no_grad()
def copied(out: Learned, store: TokenStore, device: str) -> float:
    """The share of lines whose last letter is the most probable."""
    right, count = 0, 0
    for _, pairs in evaluation_batches(store, 4096):
        pairs = pairs.to(device)
        logits = out.model.decode(pairs.target.reads, out.model.encode(pairs.source))
        right += int((logits[:, -2].argmax(-1) == pairs.target.tokens[:, -2]).sum())
        count += len(logits)
    return right / count


def captions(folder: Path) -> tuple[tuple[TokenStore, TokenStore], tuple[int, int]]:
    """The English side of Multi30k in words."""
    where = Path(os.environ["SACCADE_DATA"]) / "multi30k"
    (folder / "train.txt").write_bytes(gzip.decompress((where / "train.en.gz").read_bytes()))
    data = DataConfig(
        task="language-modelling",
        source=str(folder / "train.txt"),
        valid_source=str(where / "val.en"),
        pieces="word",
        vocabulary=2000,
        maximum_length=48,
    )
    ready = prepare(data, folder / "captions")
    return (ready.train[0], ready.valid), (ready.source_tokenizer.size, ready.target_tokenizer.size)


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--distances", type=int, nargs="+", default=[10, 40, 80])
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        perplexities(folder, asked)
        distances(folder, asked)


def perplexities(folder: Path, asked: Any) -> None:
    """The table of the first claim."""
    stores, sizes = captions(folder)
    found: dict[str, list[float]] = {}
    for label, (name, settings) in {"LSTM": LSTM, "LSTM, wider": WIDER_LSTM, "LSTMN": LSTMN}.items():
        for seed in range(1, asked.seeds + 1):
            training = config(asked.steps, seed, 4e-3)
            out = learned(name, settings, stores, sizes, training, folder / f"{label}-{seed}", asked.device)
            found.setdefault(label, []).append(out.perplexity)
            print(f"seed {seed}  {label:12} {out.perplexity:8.2f}  {out.parameters:,} parameters, {out.seconds:.0f} s")
    print("\nheld-out perplexity of a word, mean +- deviation")
    for label, values in found.items():
        print(f"{label:12} {spread(values)}")
    lstm, wider, lstmn = (statistics.mean(values) for values in found.values())
    print(f"LSTMN below an LSTM of equal width: {'holds' if lstmn < lstm else 'does not hold'}")
    print(f"LSTMN below an LSTM of equal parameters: {'holds' if lstmn < wider else 'does not hold'}\n")


def distances(folder: Path, asked: Any) -> None:
    """The table of the second claim."""
    sizes = (QUESTION + 1,) * 2
    for distance in asked.distances:
        test = TokenStore.build(folder / f"test-{distance}", lines(500, distance, 0))
        shares: dict[str, list[float]] = {}
        for label, (name, settings) in {"LSTM": LSTM, "LSTMN": LSTMN}.items():
            for seed in range(1, asked.seeds + 1):
                path = folder / f"train-{distance}-{seed}"
                train = TokenStore.open(path) if path.exists() else TokenStore.build(path, lines(9000, distance, seed))
                run = folder / f"{label}-{distance}-{seed}"
                training = config(asked.steps, seed, 1e-2)
                out = learned(name, settings, (train, test), sizes, training, run, asked.device)
                shares.setdefault(label, []).append(copied(out, test, asked.device))
        told = ", ".join(f"{label} {spread(values)}" for label, values in shares.items())
        print(f"copied over {distance:3} blanks, share of lines: {told}   (by chance {1 / LETTERS:.2f})")


if __name__ == "__main__":
    main()
