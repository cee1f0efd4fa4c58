"""Kalchbrenner and Blunsom 2013: perplexity falls from the decoder alone to RCTM I to RCTM II, which needs word order.

    python -m bench.lineage.rctm [--seeds 3] [--device cuda] [--steps N] [--width N] [--words N] [--longest N]

Short captions of Multi30k, German to English, in few words; AdaGrad, as in the paper. Then every held-out source is
shuffled: what RCTM II knows of its translation must then come to no more than what the decoder knows alone, within a
tenth. SACCADE_DATA must name the folder of corpora.
"""

import argparse
import math
import statistics
import tempfile
from pathlib import Path

import torch

from bench.lineage.captions import captions
from bench.lineage.small_runs import held_out_loss, mean_and_deviation, train_on
from saccade.sequences import Sequences
from saccade.training.config import TrainingConfig

KINDS = {"decoder alone": "none", "RCTM I": "sentence", "RCTM II": "ngrams"}


def shuffled(source: Sequences) -> Sequences:
    """The words of every row in another order; the EOS that ends the row still ends it."""
    generator = torch.Generator().manual_seed(len(source))
    rows = []
    for tokens, length in zip(source.tokens.tolist(), source.lengths.tolist(), strict=True):
        order = torch.randperm(length - 1, generator=generator).tolist()
        rows.append([*(tokens[place] for place in order), *tokens[length - 1 :]])
    return Sequences(torch.tensor(rows), source.lengths)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=1400)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--words", type=int, default=600, help="how many are known on each side")
    parser.add_argument("--longest", type=int, default=13, help="words of a side")
    asked = parser.parse_args()
    if asked.device == "cpu":
        torch.set_num_threads(1)
    found: dict[str, list[float]] = {name: [] for name in (*KINDS, "RCTM II, source shuffled")}
    with tempfile.TemporaryDirectory() as folder:
        data = captions(Path(folder) / "text", asked.words, asked.longest)
        print("| model | seed | perplexity | source shuffled | seconds |\n|---|---|---|---|---|")
        for seed in range(1, asked.seeds + 1):
            for name, source in KINDS.items():
                training = TrainingConfig(
                    steps=asked.steps,
                    batch_tokens=1500,
                    optimizer="adagrad",
                    learning_rate=0.1,
                    warmup=1,
                    schedule="constant",
                    label_smoothing=0.0,
                    clip=5.0,
                    average=1,
                    seed=seed,
                    validate_every=asked.steps,
                    checkpoint_every=asked.steps,
                )
                settings = {"width": asked.width, "source": source, "maximum_length": 256}
                run = train_on(data, "rctm", settings, training, Path(folder) / f"{source}-{seed}", asked.device)
                without_order = math.exp(held_out_loss(run.model, data.valid, asked.device, shuffled))
                found[name].append(run.perplexity)
                if name == "RCTM II":
                    found["RCTM II, source shuffled"].append(without_order)
                print(
                    f"| {name} | {seed} | {run.perplexity:.2f} | {without_order:.2f} | {run.seconds:.0f} |", flush=True
                )
    for name, values in found.items():
        print(f"{name}: {mean_and_deviation(values)}")
    for better, worse in (("RCTM II", "RCTM I"), ("RCTM I", "decoder alone")):
        lower = sum(one < other for one, other in zip(found[better], found[worse], strict=True))
        holds = "holds" if lower == asked.seeds else "does not hold"
        print(f"{better} below {worse}: {holds} (with {lower} of {asked.seeds} seeds)")
    apart = statistics.mean(found["RCTM II, source shuffled"]) / statistics.mean(found["decoder alone"]) - 1
    print(
        f"shuffled, RCTM II is within a tenth of the decoder alone: "
        f"{'holds' if abs(apart) <= 0.1 else 'does not hold'} ({apart:+.1%})"
    )


if __name__ == "__main__":
    main()
