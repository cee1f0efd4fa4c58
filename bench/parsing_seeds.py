"""The recipe craft-parsing with several seeds: is its labelled bracket F1 on CRAFT at least 80?

    python -m bench.parsing_seeds [--seeds 3] [--parallel 3] [--device cuda] --folder FOLDER [--out FILE]

Every model is that of `saccade train craft-parsing --set training.seed=SEED`, which parses the test part at its end
with the recipe's beam, the paper's 21; here it parses it again with one of 4. A run that is finished is not run again.
(The recipe had a beam of 4 when this was first run, and 21 was the second.)

The rule, which stood before the first run of these seeds, for each beam on its own: it holds if the mean of all seeds
is at least 80 by three standard errors, does not hold if it is below 80 by as many, and is undecided otherwise.
Beside it stands what share of outputs is well-formed without the constraint, on the first 500 sentences and with the
narrow beam.
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from bench.parsing_peer import trees
from saccade.decoding.beam import BeamConfig
from saccade.runs.run import train
from saccade.serving.evaluate import Evaluated, evaluate_model
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator

RECIPE, CORPUS = "craft-parsing", "craft-treebank"
BAR, STANDARD_ERRORS = 80.0, 3
RECIPES_BEAM, NARROW = 21, 4
UNCONSTRAINED = 500


def parsed(translator: Translator, pairs: Sequence[tuple[str, str]], beam: int, constrained: bool = True) -> Evaluated:
    """These sentences, with this beam."""
    search = BeamConfig(**{**translator.bundle.decoding, "size": beam})
    # All sentences are one window: each batch is then as long throughout as can be.
    options = TranslationOptions(search=search, constrained=constrained, window=len(pairs), first_window=len(pairs))
    return evaluate_model(translator, pairs, options)


def trained_and_scored(seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    """One seed: how long it learned, and its scores with each beam."""
    torch.set_num_threads(1)
    folder, began = asked.folder / f"seed-{seed}", time.perf_counter()
    result = train(RECIPE, folder, overrides=[f"training.seed={seed}"], device=asked.device)
    assert result.model is not None, "an interrupted run measures nothing"
    seconds = {"training and beam 21": time.perf_counter() - began}
    translator, pairs = load(result.model, device=asked.device), trees(CORPUS, "test")
    assert translator.bundle.decoding["size"] == RECIPES_BEAM
    began = time.perf_counter()
    narrow = parsed(translator, pairs, NARROW)
    seconds["beam 4"] = time.perf_counter() - began
    raw = parsed(translator, pairs[:UNCONSTRAINED], NARROW, constrained=False)
    found = {
        "seed": seed,
        "steps": result.steps,
        "seconds": seconds,
        "beam 21": dict(result.scores["test"]),
        "beam 4": values(narrow),
        "intervals of beam 4": {one.metric: asdict(one.interval) for one in narrow.report.scores if one.interval},
        "unconstrained": values(raw),
    }
    print(json.dumps(found), flush=True)
    return found


def values(evaluated: Evaluated) -> dict[str, float]:
    """Every metric of an evaluation."""
    return {one.metric: one.value for one in evaluated.report.scores}


def verdict(f1: Sequence[float]) -> str:
    """The answer by the rule above."""
    if len(f1) < 2:
        return "undecided (a single seed has no spread)"
    mean, error = statistics.mean(f1), statistics.stdev(f1) / math.sqrt(len(f1))
    above = (mean - BAR) / error if error else math.copysign(math.inf, mean - BAR)
    said = "holds" if above >= STANDARD_ERRORS else "does not hold" if above <= -STANDARD_ERRORS else "undecided"
    return f"{said} ({mean:.2f}, standard error {error:.2f})"


def main() -> None:
    """Trains and scores every seed, and judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where runs are kept")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.parallel, get_context("spawn")) as pool:
        found = list(pool.map(partial(trained_and_scored, asked=asked), range(1, asked.seeds + 1)))
    verdicts = {beam: verdict([seed[beam]["bracket_f1"] for seed in found]) for beam in ("beam 4", "beam 21")}
    for beam, said in verdicts.items():
        print(f"F1 at least {BAR:.0f}, {beam}: {said}")
    if asked.out is not None:
        about = {"torch": torch.__version__, "device": asked.device}
        asked.out.write_text(json.dumps({**about, "verdicts": verdicts, "seeds": found}, indent=1))


if __name__ == "__main__":
    main()
