"""Bengio et al. 2003: words as vectors give a lower perplexity than counts that see as many words.

    python -m bench.lineage.neural_probabilistic [--seeds 3] [--device cuda] [--steps N] [--parallel 1]

The English side of Multi30k, as words; interpolated Kneser-Ney and the neural network at the same orders. The n-gram
model counts and has no seed. On one core a neural run takes seven minutes, on a GPU seconds.
"""

import statistics

from bench.lineage import recipe_runs
from bench.lineage.small_runs import mean_and_deviation

VOCABULARY, ORDERS = 3000, (3, 5)
DATA = {"task": "language-modelling", "corpus": "multi30k", "pieces": "word", "vocabulary": VOCABULARY}
TRAINING = {
    "steps": 4000,
    "batch_tokens": 2048,
    "learning_rate": 3e-3,
    "warmup": 50,
    "schedule": "linear",
    "clip": 5.0,
    "label_smoothing": 0.0,
    "average": 1,
}
NEURAL = {"architecture": "neural-probabilistic", "embedding_width": 64, "width": 128, "dropout": 0.2}


def main() -> None:
    asked = recipe_runs.asked(__doc__)
    training = TRAINING | ({"steps": asked.steps} if asked.steps else {})
    pauses = {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    runs = recipe_runs.Runs(asked.folder, DATA, training | pauses, asked.device)
    seeds = range(1, asked.seeds + 1)
    neural = {order: {**NEURAL, "order": order} for order in ORDERS}
    runs.run_all(
        [(f"neural {order}", model, seed) for order, model in neural.items() for seed in seeds], asked.parallel
    )
    print("| order | Kneser-Ney | neural | neural / Kneser-Ney | holds |\n|---|---|---|---|---|")
    for order in ORDERS:
        counted = runs.run(f"ngram {order}", {"architecture": "ngram", "order": order}, 1)
        counts = counted.scores["test"]["perplexity"]
        reached = [runs.run(f"neural {order}", neural[order], seed) for seed in seeds]
        found = [one.scores["test"]["perplexity"] for one in reached]
        share = statistics.mean(found) / counts
        verdict = "yes" if max(found) < counts else "no"
        print(f"| {order} | {counts:.2f} | {mean_and_deviation(found)} | {share:.3f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
