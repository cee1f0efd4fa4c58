"""Daniluk et al. 2017: key-value-predict < key-value < attention < LSTM in perplexity, at equal parameters.

    python -m bench.lineage.key_value_predict [--seeds 3] [--device cuda] [--steps N] [--parallel 1]

The English side of Multi30k, as words; every model is as wide as gives it the parameters of the LSTM. The 4-gram
network must come within 2 % of key-value-predict, and at least half of the attention rest on the last five outputs.
The differences are small: a run must be near its end, so on a CPU all fifteen take more than half an hour.
"""

import statistics
from pathlib import Path

import torch

from bench.lineage import recipe_runs
from bench.lineage.small_runs import mean_and_deviation
from saccade.attention.recording import recording
from saccade.data.batches import evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.serving.bundle import Bundle

VOCABULARY, EMBEDDING, WIDTH, WINDOW, NEAR = 3000, 64, 96, 15, 5
DATA = {"task": "language-modelling", "corpus": "multi30k", "pieces": "word", "vocabulary": VOCABULARY}
TRAINING = {
    "steps": 1500,
    "batch_tokens": 2048,
    "learning_rate": 3e-3,
    "warmup": 100,
    "schedule": "linear",
    "clip": 5.0,
    "label_smoothing": 0.0,
    "average": 1,
}
COMMON = {"embedding_width": EMBEDDING, "dropout": 0.2}
LSTM = {**COMMON, "architecture": "rnn-language-model", "cell": "lstm", "width": WIDTH}
OURS = {**COMMON, "architecture": "key-value-predict", "window": WINDOW}
MODELS = {
    "LSTM": LSTM,
    "attention": {**OURS, "reads": "attention"},
    "key-value": {**OURS, "reads": "key-value"},
    "key-value-predict": {**OURS, "reads": "key-value-predict"},
    "4-gram": {**OURS, "reads": "ngram", "order": 4},
}
ORDER = ("key-value-predict", "key-value", "attention", "LSTM")


@torch.no_grad()
def near_share(model: Path, store: Path) -> float:
    """The share of attention on the last few outputs, of positions that see at least twice as many."""
    loaded = Bundle.load(model, torch.device("cpu")).model.eval()
    near, total = 0.0, 0.0
    for _, pairs in evaluation_batches(TokenStore.open(store), 4096):
        with recording(loaded) as record:
            loaded.states(pairs.target.reads, loaded.encode(pairs.source))
        (weights,) = record["reading.attention"]
        length = weights.shape[-1]
        distance = torch.arange(length).unsqueeze(1) - torch.arange(length)
        full = pairs.target.mask & (torch.arange(length) >= 2 * NEAR)
        total += weights[:, 0][full].sum().item()
        near += (weights[:, 0] * (distance <= NEAR))[full].sum().item()
    return near / total


def main() -> None:
    asked = recipe_runs.asked(__doc__)
    training = TRAINING | ({"steps": asked.steps} if asked.steps else {})
    pauses = {"validate_every": training["steps"], "checkpoint_every": training["steps"]}
    runs = recipe_runs.Runs(asked.folder, DATA, training | pauses, asked.device)
    vocabularies = (VOCABULARY, VOCABULARY)
    wanted = recipe_runs.parameters(LSTM, vocabularies)
    models = {name: recipe_runs.widened(model, vocabularies, wanted) for name, model in MODELS.items()}
    seeds = range(1, asked.seeds + 1)
    runs.run_all([(name, model, seed) for name, model in models.items() for seed in seeds], asked.parallel)
    perplexities: dict[str, list[float]] = {}
    print("| model | width | parameters | test perplexity | attention within 5 |\n|---|---|---|---|---|")
    for name, sized in models.items():
        reached = [runs.run(name, sized, seed) for seed in seeds]
        perplexities[name] = [one.scores["test"]["perplexity"] for one in reached]
        attends = name not in ("LSTM", "4-gram")
        shares = [near_share(one.model, asked.folder / "data" / "valid") for one in reached] if attends else []
        share = mean_and_deviation(shares) if shares else "-"
        size = recipe_runs.parameters(sized, vocabularies)
        print(
            f"| {name} | {sized['width']} | {size:,} | {mean_and_deviation(perplexities[name])} | {share} |", flush=True
        )
    means = {name: statistics.mean(values) for name, values in perplexities.items()}
    for better, worse in zip(ORDER, ORDER[1:], strict=False):
        every = all(a < b for a, b in zip(perplexities[better], perplexities[worse], strict=True))
        sign = "holds" if means[better] < means[worse] else "does not hold"
        print(f"{better} below {worse}: {sign} ({means[better]:.2f}, {means[worse]:.2f}; with every seed: {every})")
    apart = means["4-gram"] / means["key-value-predict"] - 1
    verdict = "holds" if abs(apart) <= 0.02 else "does not hold"
    print(f"4-gram within 2 % of key-value-predict: {verdict} ({apart:+.1%})")


if __name__ == "__main__":
    main()
