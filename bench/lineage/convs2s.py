"""ConvS2S, section 5.4 of Gehring et al. 2017: attention in every decoder layer beats attention in one, and learned
positions are worth little, since a convolution knows its neighbours.

python -m bench.lineage.convs2s [--seeds 3] [--steps 300] [--device cpu]

Spelling to phones (the published split of the CMU dictionary, from SACCADE_DATA). The claims: perplexity with attention
in all layers is below that with attention in the first or in the last layer alone, by more than the spread of seeds;
without any positions it is at most a tenth higher.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

import torch

from bench.lineage.held_out import learned
from bench.lineage.whole_runs import spread
from saccade.data.prepare import DataConfig, prepare
from saccade.training.config import TrainingConfig

LAYERS = 4
SIZES = {"encoder_layers": 3, "decoder_layers": LAYERS, "width": 64, "dropout": 0.1, "maximum_length": 64}
MODELS = {
    "attention in all layers": {},
    "attention in the first layer": {"attending_layers": (1,)},
    "attention in the last layer": {"attending_layers": (LAYERS,)},
    "no positions": {"source_positions": False, "target_positions": False},
}


def main() -> None:
    """Trains every model with every seed and prints what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, list[float]] = {name: [] for name in MODELS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = prepare(DataConfig(corpus="cmudict-g014b2b", task="pronunciation", maximum_length=48), folder / "data")
        sizes = data.source_tokenizer.size, data.target_tokenizer.size
        for seed in range(1, asked.seeds + 1):
            training = TrainingConfig(
                steps=asked.steps,
                batch_tokens=2048,
                learning_rate=2e-3,
                schedule="linear",
                warmup=50,
                clip=1.0,
                label_smoothing=0.0,
                validate_every=asked.steps,
                checkpoint_every=asked.steps,
                seed=seed,
            )
            for model, changes in MODELS.items():
                run = folder / f"{model}-{seed}"
                out = learned(
                    "convs2s", SIZES | changes, (data.train[0], data.valid), sizes, training, run, asked.device
                )
                found[model].append(out.perplexity)
                print(
                    f"seed {seed}  {model:30} {out.perplexity:7.3f}  {out.parameters:,} in {out.seconds:.0f} s",
                    flush=True,
                )
    print(f"\n{'held-out perplexity of a phone':32} mean +- deviation over {asked.seeds} seeds")
    for model, values in found.items():
        print(f"{model:32} {spread(values, 3)}")
    best, first, last, without = (statistics.mean(values) for values in found.values())
    noise = max(statistics.stdev(values) if len(values) > 1 else 0.0 for values in found.values())
    everywhere = best < min(first, last) - noise
    print(f"attention in all layers beats attention in one: {'holds' if everywhere else 'does not hold'}")
    print(
        f"removing positions costs little: {without / best - 1:+.1%}, {'holds' if without < 1.1 * best else 'does not'}"
    )


if __name__ == "__main__":
    main()
