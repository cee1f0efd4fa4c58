"""Three kinds of state and how much they hold: Sun et al. 2024, and claim T19 of the lineage.

python -m bench.lineage.associative_recall [--seeds 3] [--steps 2000] [--device cpu] [--parallel 1]

A line is n pairs of a key and its value, a mark, and then the keys again in another order, each followed by its value:
how many of those values are the most probable? Models are trained on lines of all lengths together and tested on each.
Expected: self-attention, whose list grows, stays near 1; an LSTM, whose state is a vector, falls first; TTT-linear,
whose state is a matrix, falls later. Beside each share stands the size of the state after the pairs are read.
"""

import random
import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from bench.lineage.held_out import Job, Learned, arguments, run_all, training
from bench.lineage.whole_runs import spread
from saccade.data.batches import evaluation_batches
from saccade.data.store import TokenStore
from saccade.models.contract import SPECIAL
from saccade.sequences import EOS, Sequences

SYMBOLS = 32
"""So many keys and as many values."""
MARK = SPECIAL + 2 * SYMBOLS
PAIRS = (2, 4, 8, 16, 32)
SIZES = {"layers": 2, "width": 32, "heads": 1, "inner_width": 64, "convolution": 2, "dropout": 0.0}
MODELS = {
    "self-attention (a list)": {"state": "list"},
    "LSTM (a vector)": {"state": "vector"},
    "TTT-linear (weights)": {"state": "weights"},
}


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
def recalled(out: Learned, store: TokenStore, pairs: int, device: str) -> float:
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
def state_numbers(out: Learned, pairs: int, device: str) -> int:
    """How many numbers the state holds once the pairs are read."""
    tokens = torch.tensor(line(pairs, random.Random(1)), device=device)
    state = out.model.start(out.model.encode(Sequences.of([[EOS]], device)))
    for token in tokens[: 2 * pairs]:
        _, state = out.model.step(token.view(1), state)
    return sum(tensor.numel() for tensor in state.tensors() if tensor.is_floating_point())


def measured(out: Learned, tests: dict[int, Path]) -> dict[int, tuple[float, int]]:
    """For each number of pairs, the share recalled and the numbers in the state."""
    device = out.job.device
    return {
        pairs: (recalled(out, TokenStore.open(folder), pairs, device), state_numbers(out, pairs, device))
        for pairs, folder in tests.items()
    }


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    asked = arguments(__doc__, steps=2000).parse_args()
    seeds = range(1, asked.seeds + 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests = {pairs: folder / f"test-{pairs}" for pairs in PAIRS}
        for pairs, path in tests.items():
            TokenStore.build(path, lines(200, (pairs,), 0))
        TokenStore.build(folder / "valid", lines(200, PAIRS, 0))
        jobs = []
        for seed in seeds:
            TokenStore.build(folder / f"train-{seed}", lines(50_000, PAIRS, seed))
            for label, changes in MODELS.items():
                stores = (folder / f"train-{seed}", folder / "valid")
                how = training(asked.steps, seed, learning_rate=6e-3, warmup=100)
                sizes, run = (MARK + 1, MARK + 1), folder / f"{label}-{seed}"
                jobs.append(Job(label, "state-language-model", SIZES | changes, stores, sizes, how, run, asked.device))
        values = run_all(jobs, partial(measured, tests=tests), asked.parallel)
    print(f"\nshare recalled, mean +- deviation over {asked.seeds} seeds, {asked.steps} steps (numbers in the state)")
    print(f"{'pairs':24}" + "".join(f"{pairs:>24}" for pairs in PAIRS))
    means = {}
    for label in MODELS:
        each = [value for job, value in zip(jobs, values, strict=True) if job.label == label]
        cells = [f"{spread([found[pairs][0] for found in each])} ({each[0][pairs][1]})" for pairs in PAIRS]
        print(f"{label:24}" + "".join(f"{cell:>24}" for cell in cells))
        means[label] = [statistics.mean(found[pairs][0] for found in each) for pairs in PAIRS]
    attention, vector, weights = means.values()
    print(f"self-attention stays near 1: {'holds' if min(attention) > 0.9 else 'does not hold'}")
    later = attention[-1] > 0.9 and all(ours > theirs for ours, theirs in zip(weights[1:], vector[1:], strict=True))
    print(f"the LSTM falls first, TTT-linear later: {'holds' if later else 'does not hold'}")


if __name__ == "__main__":
    main()
