"""One run of the experiment: a model trained with some noise and one seed, and its figures on every test set."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sacrebleu.metrics import BLEU

import saccade
from bench.noise.variants import Variant
from bench.shared_data import sharing_data

RECIPE = "tatoeba-en-es"
Figures = dict[str, float]


def measured_run(asked: argparse.Namespace, sets: Sequence[Variant], run: tuple[float, int]) -> Figures:
    """The figures of one run, trained if it is not."""
    noise, seed = run
    figures = _figures(_trained(asked, noise, seed), sets, asked.device)
    print(f"noise {noise}, seed {seed}: {figures}", file=sys.stderr, flush=True)
    return figures


def _trained(asked: argparse.Namespace, noise: float, seed: int) -> Path:
    """The model of one run; all seeds of a side read the same prepared data."""
    folder, shared = asked.folder / f"noise-{noise}-{seed}", asked.folder / f"data-{noise}"
    overrides = [f"data.noise={noise}", f"training.seed={seed}", *asked.set]
    with sharing_data(folder, shared):
        result = saccade.train(RECIPE, folder, overrides=overrides, device=asked.device)
        assert not result.interrupted
    return folder / "model"


def _figures(model: Path, sets: Sequence[Variant], device: str) -> Figures:
    translator = saccade.load(model, device=device)
    figures: Figures = {}
    for one in sets:
        outputs = translator.translate(one.sources, split_sentences=False, truncate=True, on_error="copy")
        figures[one.name] = BLEU().corpus_score(outputs, [one.references]).score
        if one.kept is not None:
            kept = sum(thing in output for thing, output in zip(one.kept, outputs, strict=True))
            figures["kept, per cent"] = 100 * kept / len(outputs)
    return figures
