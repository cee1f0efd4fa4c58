"""Vaswani et al. 2017, section 6.1: the mean of the last checkpoints is better than the last of them.

    python -m bench.lineage.averaging [--seeds 3] [--steps 1000] [--device cuda] [--parallel 1] [--folder F]

Spellings to phones, a small Transformer with the paper's schedule, which never comes to rest, and a checkpoint every
hundred steps. The phoneme error rate, in percent, of the mean of the last three and of the last five must be below that
of the last alone. A difference of 0.3 counts; otherwise the rule is that of arms.py. What it says of words it does not
say of translations. SACCADE_DATA must name the folder of corpora.
"""

from pathlib import Path
from typing import Any

from bench.lineage import recipe_runs
from bench.lineage.arms import Figures
from bench.lineage.rnn_encoder_decoder import TEST, Words, error_rate, pronounced, read, runs_on_words
from saccade.hardware import choose_device
from saccade.serving.bundle import Bundle
from saccade.serving.translator import Translator
from saccade.training.checkpoint import Checkpoints, average_checkpoints
from saccade.weights import restore_weights

AVERAGES = {"the last alone": 1, "mean of three": 3, "mean of five": 5}
LEAST = 0.3
MODEL: dict[str, Any] = {
    "architecture": "transformer",
    "encoder_layers": 2,
    "decoder_layers": 2,
    "width": 128,
    "inner_width": 512,
    "heads": 4,
    "tie": "target",
    "maximum_length": 128,
}
TRAINING: dict[str, Any] = {
    "steps": 1000,
    "batch_tokens": 1500,
    "schedule": "inverse_square_root",
    "learning_rate_factor": 0.7,
    "warmup": 400,
    "label_smoothing": 0.1,
    "checkpoint_every": 100,
    "keep_checkpoints": max(AVERAGES.values()),
    "average": 1,
}


def wrong(run: Path, count: int, test: Words, device: str) -> float:
    """The phoneme error rate of the mean of a run's last checkpoints."""
    bundle = Bundle.load(run / "model", choose_device(device))
    recent = Checkpoints(run / "checkpoints", keep=max(AVERAGES.values())).recent(count)
    assert len(recent) == count, f"{run} has {len(recent)} checkpoints"
    restore_weights(bundle.model, average_checkpoints(recent))
    return error_rate(pronounced(Translator([bundle], choose_device(device)), test))


def main() -> None:
    """Trains every seed, and averages."""
    asked = recipe_runs.asked(__doc__, least_steps=max(AVERAGES.values()) * TRAINING["checkpoint_every"])
    runs = runs_on_words(asked, TRAINING)
    seeds = range(1, asked.seeds + 1)
    runs.run_all([("transformer", MODEL, seed) for seed in seeds], asked.parallel)
    folders = [runs.run("transformer", MODEL, seed).model.parent for seed in seeds]
    test = read("test", TEST)
    rates = {name: [wrong(folder, count, test, asked.device) for folder in folders] for name, count in AVERAGES.items()}
    found = Figures("phoneme error rate, %", rates)
    print(found.table())
    last, *means = AVERAGES
    for name in means:
        print(found.lower(name, last, LEAST))


if __name__ == "__main__":
    main()
