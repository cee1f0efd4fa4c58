"""What the experiments of this folder share: the command line, training and scoring, seeds side by side.

A run that is finished is not run again: the same command goes on where it was stopped. Scores are kept in
OUT/scores.json as they come, and OUT/report.md is written at the end.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import torch

from bench.improving.corpora import Pair
from bench.improving.verdicts import Question, report
from saccade.data.config import DataConfig
from saccade.recipes.recipe import build_recipe
from saccade.runs.run import train
from saccade.serving.evaluate import evaluate_model
from saccade.serving.loading import load

MODEL = {
    "architecture": "transformer",
    "encoder_layers": 6,
    "decoder_layers": 4,
    "width": 256,
    "inner_width": 1024,
    "heads": 8,
    "dropout": 0.2,
    "norm": "pre",
    "maximum_length": 256,
}
TRAINING = {
    "steps": 1500,
    "batch_tokens": 16384,
    "schedule": "linear",
    "warmup": 250,
    "validate_every": 500,
    "checkpoint_every": 100,
    "average": 5,
}
TINY_MODEL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "inner_width": 16, "heads": 2}
TINY_TRAINING = {"steps": 3, "batch_tokens": 512, "average": 1, "warmup": 1}


@dataclass(frozen=True)
class Place:
    """Where an experiment is carried out with one seed, on which device, and whether only to try it."""

    out: Path
    seed: int
    device: str
    tiny: bool

    @property
    def most(self) -> int | None:
        """How many lines of each corpus."""
        return 200 if self.tiny else None

    @property
    def settings(self) -> dict[str, dict[str, object]]:
        """The model and the training of everything that does not begin from another."""
        model, training = dict(MODEL), {**TRAINING, "seed": self.seed}
        return {
            "model": model | TINY_MODEL if self.tiny else model,
            "training": training | TINY_TRAINING if self.tiny else training,
            "decoding": {"size": 1, "extra_length": 2} if self.tiny else {"size": 4},
        }

    @property
    def tuning(self) -> list[str]:
        """What is set where training begins from another model."""
        return [f"training.seed={self.seed}", *(["training.steps=3", "training.batch_tokens=512"] if self.tiny else [])]

    def folder(self, name: str) -> Path:
        """The folder of a run or of text."""
        return self.out / f"seed-{self.seed}" / name

    def trained(self, name: str, data: DataConfig, **changes: object) -> Path:
        """A model trained from nothing on these files; `changes` are of the model."""
        vocabulary = 400 if self.tiny else 8000
        document = {
            "name": name,
            "data": replace(data, vocabulary=vocabulary, maximum_length=128).given(),
            **self.settings,
        }
        model = {**self.settings["model"], **({} if self.tiny else changes)}
        rate = min(2e-3, 0.25 / int(str(model["width"])))  # that of the automatic recipe
        document |= {"model": model, "training": {**self.settings["training"], "learning_rate": rate}}
        return self.ended(train(build_recipe(document), self.folder(name), device=self.device))

    def ended(self, result: object) -> Path:
        """The folder of a run that has ended."""
        assert not result.interrupted  # type: ignore[attr-defined]
        torch.cuda.empty_cache()
        return result.folder  # type: ignore[attr-defined]

    def scored(self, arm: str, model: Path, tests: dict[str, list[Pair]], beam: int | None = None) -> None:
        """Scores a model on every test set, once, and keeps the scores.

        Nothing is protected: a model that loses the numbers of a foreign domain would be searched with again and again.
        """
        scores = self._scores()
        missing = {test: pairs for test, pairs in tests.items() if test not in scores.get(arm, {})}
        if not missing:
            return
        translator = load(model, device=self.device)
        options = translator.options(beam=beam, truncate=True, split_sentences=False, protect=False)
        for test, pairs in missing.items():
            scores.setdefault(arm, {})[test] = evaluate_model(translator, pairs, options).report.main.value
        print(f"seed {self.seed}, {arm}: {scores[arm]}", flush=True)
        self.folder("scores.json").write_text(json.dumps(scores, indent=1))

    def has_scores(self, arm: str, tests: dict[str, list[Pair]]) -> bool:
        """Whether an arm was scored on all of these: then its model is not needed again."""
        return tests.keys() <= self._scores().get(arm, {}).keys()

    def _scores(self) -> dict[str, dict[str, float]]:
        kept = self.folder("scores.json")
        scores: dict[str, dict[str, float]] = json.loads(kept.read_text()) if kept.exists() else {}
        return scores


def run(description: str | None, one_seed: Callable[[Place], None], questions: Sequence[Question]) -> None:
    """The command line of an experiment: every seed, then the report."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="where runs, scores and the report are kept")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=1, help="seeds side by side, each in a process of its own")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--tiny", action="store_true", help="a few steps of tiny models, to see that all of it runs")
    asked = parser.parse_args()
    if "SACCADE_DATA" not in os.environ:
        parser.error("SACCADE_DATA must name the folder of corpora")
    out = asked.out.absolute()
    places = [Place(out, seed, asked.device, asked.tiny) for seed in range(1, asked.seeds + 1)]
    if asked.parallel == 1:
        for place in places:
            one_seed(place)
    else:
        with ProcessPoolExecutor(asked.parallel, get_context("spawn")) as pool:
            list(pool.map(one_seed, places))
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for place in places:
        for arm, tests in json.loads(place.folder("scores.json").read_text()).items():
            for test, value in tests.items():
                scores.setdefault(arm, {}).setdefault(test, {})[str(place.seed)] = value
    (out / "scores.json").write_text(json.dumps(scores, indent=1))
    text = report(scores, questions)
    (out / "report.md").write_text(text + "\n")
    print(text)
