"""LSTMN, Cheng et al. 2016: a lower perplexity than an LSTM of equal size, and copying over distances an LSTM cannot.

python -m bench.lineage.lstmn perplexity|copying [--seeds 3] [--steps 4000] [--device cpu] [--parallel 1]

Perplexity is that of words of English captions (Multi30k, from SACCADE_DATA); sizes are equal in hidden units, as in
the paper, and once more in parameters. To copy: a line is a letter, noise (figures drawn at random), a question, and
the letter again. Models are trained on all distances together; counted is, for each distance, how often the last letter
is the most probable.
"""

import gzip
import os
import random
import statistics
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bench.lineage.small_runs import Job, Trained, arguments, mean_and_deviation, perplexity, run_all, training
from saccade.data.batches import evaluation_batches
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.data.prepared_corpus import Prepared
from saccade.data.token_store import TokenStore
from saccade.special_tokens import SPECIAL

LETTERS = 8
FIGURES = 8
QUESTION = SPECIAL + LETTERS + FIGURES
DISTANCES = (1, 2, 4, 8, 16, 32, 64)
Model = tuple[str, dict[str, Any]]
READERS: dict[str, Model] = {
    "LSTM": ("rnn-language-model", {"cell": "lstm", "width": 64, "embedding_width": 64}),
    "LSTM, wider": ("rnn-language-model", {"cell": "lstm", "width": 70, "embedding_width": 64}),
    "LSTMN": ("lstmn-language-model", {"width": 64, "embedding_width": 64, "initial_range": 0.125}),
}
"""All begin uniformly within one over the square root of the width, as torch's LSTM does."""
COPIERS: dict[str, Model] = {
    "LSTM": ("rnn-language-model", {"cell": "lstm", "width": 32, "embedding_width": 32}),
    "LSTMN": ("lstmn-language-model", {"width": 32, "embedding_width": 32, "initial_range": 0.18}),
}


def lines(count: int, distances: tuple[int, ...], seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Lines that end with the letter they began with; a language model has no source."""
    chance = random.Random(seed)
    for number in range(count):
        letter = SPECIAL + chance.randrange(LETTERS)
        noise = [SPECIAL + LETTERS + chance.randrange(FIGURES) for _ in range(distances[number % len(distances)])]
        yield [], [letter, *noise, QUESTION, letter]


@torch.no_grad()
def copied(out: Trained, tests: dict[int, Path]) -> dict[int, float]:
    """For each distance, the share of lines whose last letter is the most probable."""
    shares = {}
    for distance, folder in tests.items():
        right, count = 0, 0
        for _, pairs in evaluation_batches(TokenStore.open(folder), 4096):
            pairs = pairs.to(out.job.device)
            logits = out.model.decode(pairs.target.reads, out.model.encode(pairs.source))
            right += int((logits[:, -2].argmax(-1) == pairs.target.tokens[:, -2]).sum())
            count += len(logits)
        shares[distance] = right / count
    return shares


def captions(folder: Path) -> Prepared:
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
    return prepare(data, folder / "captions")


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    parser = arguments(__doc__, steps=4000)
    parser.add_argument("claim", choices=["perplexity", "copying"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (perplexities if asked.claim == "perplexity" else distances)(Path(name), asked)


def perplexities(folder: Path, asked: Namespace) -> None:
    """The table of the first claim."""
    data = captions(folder)
    stores = (data.train[0].folder, data.valid.folder)
    sizes = (data.source_tokenizer.size, data.target_tokenizer.size)
    seeds = range(1, asked.seeds + 1)
    jobs = []
    for label, (name, settings) in READERS.items():
        for seed in seeds:
            how = training(asked.steps, seed, learning_rate=4e-3, clip=5.0)
            jobs.append(Job(label, name, settings, stores, sizes, how, folder / f"{label}-{seed}", asked.device))
    values = iter(run_all(jobs, perplexity, asked.parallel))
    found = {label: [next(values) for _ in seeds] for label in READERS}
    print(f"\nheld-out perplexity of a word, mean +- deviation over {asked.seeds} seeds, {asked.steps} steps")
    for label, each in found.items():
        print(f"{label:12} {mean_and_deviation(each)}")
    lstm, wider, lstmn = (statistics.mean(each) for each in found.values())
    print(f"LSTMN below an LSTM of equal width: {'holds' if lstmn < lstm else 'does not hold'}")
    print(f"LSTMN below an LSTM of equal parameters: {'holds' if lstmn < wider else 'does not hold'}\n")


def distances(folder: Path, asked: Namespace) -> None:
    """The table of the second claim."""
    tests = {distance: folder / f"copy-{distance}" for distance in DISTANCES}
    for distance, path in tests.items():
        TokenStore.build(path, lines(200, (distance,), 0))
    TokenStore.build(folder / "copy-valid", lines(200, DISTANCES, 0))
    TokenStore.build(folder / "copy-train", lines(20_000, DISTANCES, 1))
    stores = (folder / "copy-train", folder / "copy-valid")
    seeds = range(1, asked.seeds + 1)
    jobs = []
    for label, (name, settings) in COPIERS.items():
        for seed in seeds:
            how = training(asked.steps, seed, learning_rate=1e-2, batch_tokens=512)
            run = folder / f"copying-{label}-{seed}"
            jobs.append(Job(label, name, settings, stores, (QUESTION + 1,) * 2, how, run, asked.device))
    values = iter(run_all(jobs, partial(copied, tests=tests), asked.parallel))
    print(f"\nshare of letters copied over so many figures, {asked.seeds} seeds (by chance {1 / LETTERS:.2f})")
    print(f"{'':12}" + "".join(f"{distance:>15}" for distance in DISTANCES))
    mean: dict[str, dict[int, float]] = {}
    for label in COPIERS:
        each = [next(values) for _ in seeds]
        print(
            f"{label:12}"
            + "".join(f"{mean_and_deviation([shares[distance] for shares in each]):>15}" for distance in DISTANCES)
        )
        mean[label] = {distance: statistics.mean(shares[distance] for shares in each) for distance in DISTANCES}
    beyond = [distance for distance in DISTANCES if mean["LSTMN"][distance] > 0.9 and mean["LSTM"][distance] < 0.5]
    told = f"holds over {beyond} figures" if beyond else "does not hold"
    print(f"LSTMN copies over distances an LSTM cannot: {told}")


if __name__ == "__main__":
    main()
