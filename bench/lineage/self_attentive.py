"""Lin et al. 2017: the penalty at least halves the overlap of hops, and costs no accuracy.

    python -m bench.lineage.self_attentive [--seeds 3] [--device cuda] [--steps N]

Which corpus an English sentence is from. The paper multiplies the penalty with 1 for whole reviews and with 0.3 for
single sentences; both are tried. Overlap is the mean of what is off the diagonal of A A^T on the validation
sentences: how much two hops look at the same words. That accuracy does not fall means here: by no more than one
standard error of the difference between the two means.
"""

import math
import statistics
from pathlib import Path

import torch

from bench.lineage import recipe_runs
from bench.lineage.small_runs import mean_and_deviation
from saccade.data.batches import evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.serving.bundle import Bundle

DATA = {"task": "classification", "corpus": "sources", "vocabulary": 4000}
TRAINING = {
    "steps": 1200,
    "batch_tokens": 2048,
    "learning_rate": 2e-3,
    "warmup": 50,
    "schedule": "linear",
    "clip": 0.5,
    "label_smoothing": 0.0,
    "average": 1,
}
MODEL = {
    "architecture": "self-attentive",
    "width": 48,
    "embedding_width": 48,
    "attention_width": 48,
    "hops": 8,
    "inner_width": 64,
    "dropout": 0.3,
}
PENALTIES = {"no penalty": 0.0, "penalty 0.3": 0.3, "penalty 1": 1.0}


@torch.no_grad()
def overlap(model: Path, store: Path) -> float:
    """The mean of A A^T off its diagonal."""
    loaded = Bundle.load(model, torch.device("cpu")).model.eval()
    total, sentences = 0.0, 0
    for _, pairs in evaluation_batches(TokenStore.open(store), 4096):
        weights = loaded.encode(pairs.source).weights
        products = weights @ weights.transpose(1, 2)
        hops = weights.shape[1]
        apart = products.sum((1, 2)) - products.diagonal(dim1=1, dim2=2).sum(1)
        total += (apart / (hops * (hops - 1))).sum().item()
        sentences += len(weights)
    return total / sentences


def main() -> None:
    asked = recipe_runs.asked(__doc__)
    training = TRAINING | ({"steps": asked.steps} if asked.steps else {})
    pauses = {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    runs = recipe_runs.Runs(asked.folder, DATA, training | pauses, asked.device)
    accuracies: dict[str, list[float]] = {}
    overlaps: dict[str, list[float]] = {}
    print("| model | test accuracy | overlap of hops |\n|---|---|---|")
    for name, penalty in PENALTIES.items():
        reached = [runs.run(name, {**MODEL, "penalty": penalty}, seed) for seed in range(1, asked.seeds + 1)]
        accuracies[name] = [one.scores["test"]["accuracy"] for one in reached]
        overlaps[name] = [overlap(one.model, asked.folder / "data" / "valid") for one in reached]
        print(
            f"| {name} | {mean_and_deviation(accuracies[name])} | {mean_and_deviation(overlaps[name], 3)} |", flush=True
        )
    without, *penalised = PENALTIES
    for name in penalised:
        share = statistics.mean(overlaps[name]) / statistics.mean(overlaps[without])
        print(f"{name} halves the overlap: {'holds' if share <= 0.5 else 'does not hold'} ({share:.2f} of it is left)")
        gain = statistics.mean(accuracies[name]) - statistics.mean(accuracies[without])
        error = 0.0
        if asked.seeds > 1:
            error = math.sqrt(sum(statistics.variance(accuracies[one]) for one in (name, without)) / asked.seeds)
        verdict = "holds" if gain >= -error else "does not hold"
        print(f"{name} costs no accuracy: {verdict} ({gain:+.2f} points, standard error {error:.2f})")


if __name__ == "__main__":
    main()
