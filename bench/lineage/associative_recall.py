"""Three kinds of state and how much they hold: Sun et al. 2024, and claim T19 of the lineage.

python -m bench.lineage.associative_recall [--seeds 3] [--steps 600] [--device cpu]

A line is n pairs of a key and its value, a mark, and then the keys again in another order, each followed by its value:
how many of those values are the most probable? Models are trained on lines of all lengths together and tested on each.
Expected: self-attention, whose list grows, stays near 1; an LSTM, whose state is a vector, falls first; TTT-linear,
whose state is a matrix, falls later. Beside each share stands the size of the state after the pairs are read.
"""

import argparse
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

from bench.lineage.held_out import Learned, learned
from bench.lineage.whole_runs import spread
from saccade.data.batches import evaluation_batches
from saccade.data.store import TokenStore
from saccade.models.contract import SPECIAL
from saccade.sequences import EOS, Sequences
from saccade.training.config import TrainingConfig

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


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    shares: dict[str, dict[int, list[float]]] = {name: {pairs: [] for pairs in PAIRS} for name in MODELS}
    sizes: dict[str, dict[int, int]] = {name: {} for name in MODELS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests = {pairs: TokenStore.build(folder / f"test-{pairs}", lines(200, (pairs,), 0)) for pairs in PAIRS}
        mixed = TokenStore.build(folder / "test", lines(200, PAIRS, 0))
        for seed in range(1, asked.seeds + 1):
            train = TokenStore.build(folder / f"train-{seed}", lines(30_000, PAIRS, seed))
            training = TrainingConfig(
                steps=asked.steps,
                batch_tokens=2048,
                learning_rate=3e-3,
                schedule="linear",
                warmup=100,
                clip=1.0,
                label_smoothing=0.0,
                validate_every=asked.steps,
                checkpoint_every=asked.steps,
                seed=seed,
            )
            for label, changes in MODELS.items():
                run = folder / f"{label}-{seed}"
                vocabularies = (MARK + 1, MARK + 1)
                out = learned(
                    "state-language-model", SIZES | changes, (train, mixed), vocabularies, training, run, asked.device
                )
                for pairs, store in tests.items():
                    shares[label][pairs].append(recalled(out, store, pairs, asked.device))
                    sizes[label][pairs] = state_numbers(out, pairs, asked.device)
                told = " ".join(f"{values[-1]:.2f}" for values in shares[label].values())
                print(f"seed {seed}  {label:24} {told}  {out.parameters:,} parameters, {out.seconds:.0f} s", flush=True)
    print(f"\nshare recalled, mean +- deviation over {asked.seeds} seeds (numbers in the state)")
    print(f"{'pairs':24}" + "".join(f"{pairs:>24}" for pairs in PAIRS))
    for label in MODELS:
        cells = [f"{spread(shares[label][pairs])} ({sizes[label][pairs]})" for pairs in PAIRS]
        print(f"{label:24}" + "".join(f"{cell:>24}" for cell in cells))
    attention, vector, weights = ([statistics.mean(shares[name][pairs]) for pairs in PAIRS] for name in MODELS)
    print(f"self-attention stays near 1: {'holds' if min(attention) > 0.9 else 'does not hold'}")
    later = sum(weights) > sum(vector) and weights[-1] > vector[-1]
    print(f"TTT-linear falls later than the LSTM: {'holds' if later else 'does not hold'}")


if __name__ == "__main__":
    main()
