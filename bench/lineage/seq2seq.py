"""Sutskever et al. 2014: reading the source backwards lowers perplexity and raises BLEU.

    python -m bench.lineage.seq2seq [--seeds 3] [--device cuda] [--steps N] [--width N] [--layers N]

Short captions of Multi30k, German to English, in few words. Two models that differ in nothing but the order in which
the source is read, with the same seeds. SACCADE_DATA must name the folder of corpora.
"""

import argparse
import tempfile
from pathlib import Path

import torch

from bench.lineage.captions import captions
from bench.lineage.small_runs import greedy_bleu, mean_and_deviation, train_on
from saccade.training.config import TrainingConfig


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--words", type=int, default=600, help="how many are known on each side")
    parser.add_argument("--longest", type=int, default=13, help="words of a side")
    asked = parser.parse_args()
    if asked.device == "cpu":
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        data = captions(Path(folder) / "text", asked.words, asked.longest)
        found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        print("| source | seed | perplexity | BLEU | seconds |\n|---|---|---|---|---|")
        for seed in range(1, asked.seeds + 1):
            for reverse, reached in found.items():
                settings = {"width": asked.width, "layers": asked.layers, "reverse_source": reverse}
                training = TrainingConfig(
                    steps=asked.steps,
                    batch_tokens=1500,
                    learning_rate=4e-3,
                    warmup=50,
                    schedule="linear",
                    clip=5.0,
                    label_smoothing=0.0,
                    average=1,
                    seed=seed,
                    validate_every=asked.steps,
                    checkpoint_every=asked.steps,
                )
                run = train_on(data, "seq2seq", settings, training, Path(folder) / f"{reverse}-{seed}", asked.device)
                bleu = greedy_bleu(run, data)
                reached.append((run.perplexity, bleu))
                order = "backwards" if reverse else "as it is"
                print(f"| {order} | {seed} | {run.perplexity:.2f} | {bleu:.2f} | {run.seconds:.0f} |", flush=True)
    for number, name, sign in ((0, "perplexity", 1), (1, "BLEU", -1)):
        forward, backward = ([pair[number] for pair in found[reverse]] for reverse in (False, True))
        better = sum(sign * (one - other) > 0 for one, other in zip(forward, backward, strict=True))
        holds = "holds" if better == asked.seeds else "does not hold"
        as_it_is, backwards = mean_and_deviation(forward), mean_and_deviation(backward)
        print(f"{name}: as it is {as_it_is}, backwards {backwards}; better with {better} of {asked.seeds}")
        print(f"reversing improves {name}: {holds}")


if __name__ == "__main__":
    main()
