"""Three kinds of state and how much they hold: Sun et al. 2024, and claim T19 of the lineage.

python -m bench.lineage.associative_recall [--seeds 3] [--steps 2000] [--device cpu] [--parallel 1]

A line is n pairs of a key and its value, a mark, and then the keys again in another order, each followed by its value:
how many of those values are the most probable? Models are trained on lines of all lengths together and tested on each.
Expected: self-attention, whose list grows, stays near 1; an LSTM, whose state is a vector, falls first; TTT-linear,
whose state is a matrix, falls later. Beside each share stands the size of the state after the pairs are read.

An LSTM needs a lower rate than the others to learn anything at all, so every model is trained at each of the rates,
and shown at the one with the lowest loss on lines kept apart for that. A wider LSTM says what a larger vector holds.
"""

import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import torch

from bench.lineage.small_runs import Job, Trained, arguments, mean_and_deviation, run_all, training
from saccade.data.batches import evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.sequences import Sequences
from saccade.special_tokens import EOS, SPECIAL

SYMBOLS = 32
"""So many keys and as many values."""
MARK = SPECIAL + 2 * SYMBOLS
PAIRS = (2, 4, 8, 16, 32)
SIZES = {"layers": 2, "width": 32, "heads": 1, "inner_width": 64, "convolution": 2, "dropout": 0.0}
RATES = (1e-3, 3e-3)
WEIGHTS, VECTOR, WIDER, LIST = "TTT-linear (weights)", "LSTM (a vector)", "LSTM, wider", "self-attention (a list)"
MODELS = {  # the slowest first: runs begin in this order
    WEIGHTS: {"state": "weights"},
    VECTOR: {"state": "vector"},
    WIDER: {"state": "vector", "width": 128, "inner_width": 256},
    LIST: {"state": "list"},
}


@dataclass(frozen=True)
class Found:
    """One run: its loss on lines kept apart; for each number of pairs the share recalled and the size of the state."""

    loss: float
    shares: dict[int, float]
    sizes: dict[int, int]


def line(pairs: int, chance: random.Random) -> list[int]:
    """Keys and values, a mark, and all of them again in another order."""
    keys = chance.sample(range(SPECIAL, SPECIAL + SYMBOLS), pairs)
    values = [SPECIAL + SYMBOLS + chance.randrange(SYMBOLS) for _ in keys]
    told = list(zip(keys, values, strict=True))
    asked = chance.sample(told, pairs)
    return [token for pair in told for token in pair] + [MARK] + [token for pair in asked for token in pair]


def lines(count: int, pairs: tuple[int, ...], seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """So many lines of these numbers of pairs in turn; a language model has no source."""
    chance = random.Random(seed)
    for number in range(count):
        yield [], line(pairs[number % len(pairs)], chance)


@torch.no_grad()
def recalled(out: Trained, store: TokenStore, pairs: int, device: str) -> float:
    """The share of values that are the most probable after their key."""
    right, count = 0, 0
    for _, batch in evaluation_batches(store, 8192):
        batch = batch.to(device)
        logits = out.model.decode(batch.target.reads, out.model.encode(batch.source))
        places = slice(2 * pairs + 2, 4 * pairs + 1, 2)
        right += int((logits.argmax(-1) == batch.target.tokens)[:, places].sum())
        count += len(logits) * pairs
    return right / count


@torch.no_grad()
def state_numbers(out: Trained, pairs: int, device: str) -> int:
    """How many numbers the state holds once the pairs are read."""
    tokens = torch.tensor(line(pairs, random.Random(1)), device=device)
    state = out.model.start(out.model.encode(Sequences.of([[EOS]], device)))
    for token in tokens[: 2 * pairs]:
        _, state = out.model.step(token.view(1), state)
    return sum(tensor.numel() for tensor in state.tensors() if tensor.is_floating_point())


def measured(out: Trained, tests: dict[int, Path]) -> Found:
    """What a run has learned."""
    device = out.job.device
    shares = {pairs: recalled(out, TokenStore.open(folder), pairs, device) for pairs, folder in tests.items()}
    return Found(out.loss, shares, {pairs: state_numbers(out, pairs, device) for pairs in tests})


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    asked = arguments(__doc__, steps=2000).parse_args()
    seeds = range(1, asked.seeds + 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests = {pairs: folder / f"test-{pairs}" for pairs in PAIRS}
        for pairs, path in tests.items():
            TokenStore.build(path, lines(200, (pairs,), 0))
        TokenStore.build(folder / "valid", lines(200, PAIRS, 10_000))
        for seed in seeds:
            TokenStore.build(folder / f"train-{seed}", lines(50_000, PAIRS, seed))
        jobs, asked_for = [], list(product(MODELS, RATES, seeds))
        for label, rate, seed in asked_for:
            stores = (folder / f"train-{seed}", folder / "valid")
            how = training(asked.steps, seed, learning_rate=rate, warmup=100)
            sizes, run = (MARK + 1, MARK + 1), folder / f"{label}-{rate}-{seed}"
            title, settings = f"{label}, {rate:g}", SIZES | MODELS[label]
            jobs.append(Job(title, "state-language-model", settings, stores, sizes, how, run, asked.device))
        values = run_all(jobs, partial(measured, tests=tests), asked.parallel)
    found: dict[tuple[str, float], list[Found]] = defaultdict(list)
    for (label, rate, _), value in zip(asked_for, values, strict=True):
        found[label, rate].append(value)
    best = {label: min(RATES, key=lambda rate: mean_loss(found[label, rate])) for label in MODELS}
    print(f"\nshare recalled, mean +- deviation over {asked.seeds} seeds, {asked.steps} steps (numbers in the state)")
    print(f"{'pairs':32}" + "".join(f"{pairs:>24}" for pairs in PAIRS))
    for label, rate in product(MODELS, RATES):
        each = found[label, rate]
        cells = [
            f"{mean_and_deviation([one.shares[pairs] for one in each])} ({each[0].sizes[pairs]})" for pairs in PAIRS
        ]
        mark = "*" if rate == best[label] else " "
        print(f"{label:24}{rate:>7g}{mark}" + "".join(f"{cell:>24}" for cell in cells))
    means = {
        label: [statistics.mean(one.shares[pairs] for one in found[label, best[label]]) for pairs in PAIRS]
        for label in MODELS
    }
    near = min(means[LIST]) > 0.9
    print(f"self-attention stays near 1: {'holds' if near else 'does not hold'}")
    for label in (VECTOR, WIDER):
        later = near and all(ours > theirs for ours, theirs in zip(means[WEIGHTS][1:], means[label][1:], strict=True))
        print(f"{label} falls before TTT-linear: {'holds' if later else 'does not hold'}")


def mean_loss(each: list[Found]) -> float:
    """Over seeds: what a rate is chosen by."""
    return statistics.mean(one.loss for one in each)


if __name__ == "__main__":
    main()
