"""ConvS2S, section 5.4 of Gehring et al. 2017: attention in every decoder layer beats attention in one, and learned
positions are worth little, since a convolution knows its neighbours.

python -m bench.lineage.convs2s [--seeds 3] [--steps 3000] [--device cpu] [--parallel 1]

Spelling to phones (the published split of the CMU dictionary, from SACCADE_DATA). The claims: perplexity with attention
in all layers is below that with attention in the first or in the last layer alone, by more than the spread of seeds;
without any positions it is at most a tenth higher.
"""

import statistics
import tempfile
from pathlib import Path
from typing import Any

from bench.lineage.small_runs import Job, arguments, mean_and_deviation, perplexity, run_all, training
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare

LAYERS = 4
SIZES = {"encoder_layers": 3, "decoder_layers": LAYERS, "width": 64, "dropout": 0.1, "maximum_length": 64}
MODELS: dict[str, dict[str, Any]] = {
    "attention in all layers": {},
    "attention in the first layer": {"attending_layers": (1,)},
    "attention in the last layer": {"attending_layers": (LAYERS,)},
    "no positions": {"source_positions": False, "target_positions": False},
}


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    asked = arguments(__doc__, steps=3000).parse_args()
    seeds = range(1, asked.seeds + 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = prepare(DataConfig(corpus="cmudict-g014b2b", task="pronunciation", maximum_length=48), folder / "data")
        jobs = [
            Job(
                label,
                "convs2s",
                SIZES | changes,
                (data.train[0].folder, data.valid.folder),
                (data.source_tokenizer.size, data.target_tokenizer.size),
                training(asked.steps, seed, learning_rate=2e-3),
                folder / f"{label}-{seed}",
                asked.device,
            )
            for label, changes in MODELS.items()
            for seed in seeds
        ]
        values = iter(run_all(jobs, perplexity, asked.parallel))
    found = {label: [next(values) for _ in seeds] for label in MODELS}
    print(f"\n{'held-out perplexity of a phone':32} mean +- deviation over {asked.seeds} seeds, {asked.steps} steps")
    for label, each in found.items():
        print(f"{label:32} {mean_and_deviation(each, 3)}")
    best, first, last, without = (statistics.mean(each) for each in found.values())
    noise = max(statistics.stdev(each) if len(each) > 1 else 0.0 for each in found.values())
    print(f"attention in all layers beats attention in one: {_verdict(best < min(first, last) - noise)}")
    print(f"removing positions costs little ({without / best - 1:+.1%}): {_verdict(without < 1.1 * best)}")


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


if __name__ == "__main__":
    main()
