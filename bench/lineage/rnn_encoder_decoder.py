"""Cho et al. 2014: gated units beat plain tanh units at equal width; and one vector for a whole sequence holds less of
a long one.

    python -m bench.lineage.rnn_encoder_decoder [--seeds 3] [--device cuda] [--steps N] [--folder F]

Spellings to phones, words of the CMU dictionary (SACCADE_DATA/cmudict), both networks of one width; the plain one is
also given as many parameters as the gated one has. The claims, each for the means over seeds:

    gates    the phoneme error rate of gated units is below that of tanh units of the same width
    length   the error rate of the gated ones rises from the shortest words to the longest
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from bench.lineage import recipe_runs
from bench.lineage.small_runs import mean_and_deviation
from saccade.data.catalogue import find
from saccade.evaluation.error_rates import phoneme_error_rate
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions
from saccade.serving.loading import load
from saccade.serving.translator import Translator

TRAIN, VALID, TEST = 30_000, 100, 1000
BUCKETS = (range(1, 6), range(6, 9), range(9, 99))
TRAINING = {
    "steps": 600,
    "batch_tokens": 1500,
    "learning_rate": 0.005,
    "warmup": 30,
    "schedule": "linear",
    "clip": 1.0,
    "label_smoothing": 0.0,
    "average": 1,
}
# The deviation of the paper suits a width of 1000 and days of training; at this width learning would take much longer.
COMMON = {"architecture": "rnn-encoder-decoder", "width": 96, "rank": 32, "maxout_width": 48, "deviation": 0.1}
GATED: dict[str, Any] = {**COMMON, "cell": "gru-cho", "maximum_length": 128}
PLAIN: dict[str, Any] = {**COMMON, "cell": "tanh", "maximum_length": 128}

Words = list[tuple[str, str]]


def read(split: str, count: int) -> Words:
    """Some words of the published split, spread over all of it."""
    files = find("cmudict-g014b2b", "spelling", "phones").splits[split]
    assert files.target is not None
    lines = list(zip(*(path.read_text().splitlines() for path in (files.source, files.target)), strict=True))
    return [lines[place * len(lines) // count] for place in range(count)]


def written(folder: Path) -> dict[str, str]:
    """The training and validation files."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for split, lines in (("", read("train", TRAIN)), ("valid_", read("valid", VALID))):
        for side, number in (("source", 0), ("target", 1)):
            path = folder / f"{split}{side}.txt"
            path.write_text("".join(f"{line[number]}\n" for line in lines))
            names[f"{split}{side}"] = str(path)
    return names


def runs_on_words(asked: argparse.Namespace, training: recipe_runs.Settings = TRAINING) -> recipe_runs.Runs:
    """Runs on these words, as the command line asks; they pause for nothing that `training` does not name."""
    steps = asked.steps or training["steps"]
    pauses = {"validate_every": steps, "checkpoint_every": steps}
    data = {**written(asked.folder), "task": "pronunciation", "maximum_length": 64, "maximum_ratio": 12.0}
    return recipe_runs.Runs(asked.folder, data, {**pauses, **training, "steps": steps}, asked.device)


def pronounced(model: Translator, test: Words, **search: Any) -> list[Example]:
    """What a model says of the words, beside what is right."""
    said = model.translate([spelling for spelling, _ in test], **search)
    return [Example(spelling, text, (phones,)) for text, (spelling, phones) in zip(said, test, strict=True)]


def error_rate(examples: Sequence[Example]) -> float:
    """The phoneme error rate, in percent."""
    return phoneme_error_rate(examples, MetricOptions()).value


def error_rates(model: Path, test: Words, device: str) -> list[float]:
    """Phoneme error rates of all words, and of those of each length."""
    examples = pronounced(load(model, device=device), test)
    by_length = ([one for one in examples if len("".join(one.source.split())) in lengths] for lengths in BUCKETS)
    return [error_rate(examples), *map(error_rate, by_length)]


def main() -> None:
    asked = recipe_runs.asked(__doc__)
    runs = runs_on_words(asked)
    vocabularies = (32, 43)  # near enough to choose a width by
    systems = {
        "gated": GATED,
        "tanh": PLAIN,
        "tanh, wider": recipe_runs.widened(PLAIN, vocabularies, recipe_runs.parameters(GATED, vocabularies)),
    }
    test = read("test", TEST)
    names = ["all", *(f"{each[0]}-{each[-1]} letters" for each in BUCKETS)]
    print(f"{'units':12} {'width':>5} {'parameters':>10} " + " ".join(f"{name:>15}" for name in names))
    rates: dict[str, list[list[float]]] = {}
    for name, model in systems.items():
        rates[name] = [
            error_rates(runs.run(name, model, seed).model, test, asked.device) for seed in range(1, asked.seeds + 1)
        ]
        columns = [mean_and_deviation([each[column] for each in rates[name]]) for column in range(len(names))]
        size = recipe_runs.parameters(model, vocabularies)
        print(f"{name:12} {model['width']:5} {size:10,} " + " ".join(f"{one:>15}" for one in columns))
    gated, tanh = (mean(each[0] for each in rates[name]) for name in ("gated", "tanh"))
    short, long = (mean(each[column] for each in rates["gated"]) for column in (1, -1))
    print(f"gates: {'holds' if gated < tanh else 'DOES NOT HOLD'} ({gated:.2f} % with, {tanh:.2f} % without)")
    print(f"length: {'holds' if long > short else 'DOES NOT HOLD'} ({short:.2f} % to {long:.2f} %)")


if __name__ == "__main__":
    main()
