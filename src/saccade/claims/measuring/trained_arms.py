"""Whole systems as the arms of an experiment: each trained by saccade's own training, on the same text.

    ARMS = TrainedArms("multi30k", arms={"sinusoidal": {}, "learned": {"positions": "learned"}}, metric="bleu")
    ARMS.measure(generator, progress)      {"sinusoidal": 41.1, "learned": 41.0}, by the models as they were saved

They are trained where torch's default device is, in a folder that is gone afterwards.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Generator

from saccade.claims.claim import Figure, Findings, Measured, Progress
from saccade.claims.measuring.toy_training import share
from saccade.recipes.documents import load_document
from saccade.recipes.recipe import build_recipe
from saccade.runs.run import train

Settings = Mapping[str, Any]
Look = Callable[[Path], Mapping[str, float]]
"""What else is to be known of a finished model, from the folder of its run."""
LookAtAll = Callable[[Mapping[str, Path]], Mapping[str, float]]
"""What is to be known of all of them together, from their folders by arm."""


def nothing_else(_: Path | Mapping[str, Path]) -> Mapping[str, float]:
    """The scores are enough."""
    return {}


@dataclass(frozen=True)
class TrainedArms:
    """Every arm is trained once for each seed, on data that are prepared once for all of them."""

    recipe: str
    """The name of the recipe that all of them change."""
    arms: Mapping[str, Settings]
    """What each changes in the model of the recipe; one that names an architecture of its own changes all of it."""
    metric: str
    split: str = "test"
    data: Settings = field(default_factory=dict)
    training: Settings = field(default_factory=dict)
    """What all of them change in the data and in the training of the recipe; None leaves out what it has."""
    otherwise_trained: Mapping[str, Settings] = field(default_factory=dict)
    """What single arms change in the training besides; a seed is added to that of the others."""
    look: Look = nothing_else
    look_at_all: LookAtAll = nothing_else

    def measure(self, generator: Generator, progress: Progress) -> Findings:
        """The score of each arm under its name; what `look` adds under "name, what"; and what `look_at_all` adds."""
        device = torch.get_default_device()
        found: Findings = {}
        with TemporaryDirectory(prefix="saccade-claim-") as name, torch.device("cpu"):
            prepared = Path(name) / "data"
            folders = {arm: Path(name) / f"arm-{number}" for number, arm in enumerate(self.arms)}
            for done, (arm, folder) in enumerate(folders.items()):
                if prepared.is_dir():
                    shutil.copytree(prepared, folder / "data")
                result = train(build_recipe(self.document(arm, generator.initial_seed())), folder, device=device)
                if not prepared.is_dir():
                    shutil.copytree(folder / "data", prepared)
                found[arm] = result.scores[self.split][self.metric]
                for what, value in self.look(folder).items():
                    found[f"{arm}, {what}"] = value
                share(progress, done, len(self.arms))(1.0)
            found |= self.look_at_all(folders)
        return found

    def document(self, arm: str, seed: int) -> dict[str, Any]:
        """The recipe of an arm."""
        document = load_document(self.recipe)
        model = self.arms[arm]
        own = self.otherwise_trained.get(arm, {})
        training = {**document["training"], **self.training, **own, "seed": seed + own.get("seed", 0)}
        return {
            "name": arm.replace(" ", "-"),
            "data": {key: value for key, value in {**document["data"], **self.data}.items() if value is not None},
            "model": dict(model) if "architecture" in model else {**document["model"], **model},
            "training": {key: value for key, value in training.items() if value is not None},
            **({"decoding": document["decoding"]} if "decoding" in document else {}),
        }

    def plot(self, figure: Figure, measured: Measured) -> None:
        """Seed by seed."""
        axes = figure.subplots()
        for place, arm in enumerate(self.arms):
            values = measured.each(arm)
            axes.plot([place] * len(values), values, "o", markersize=8, alpha=0.7)
        axes.set(xlim=(-0.5, len(self.arms) - 0.5), xticks=range(len(self.arms)), ylabel=f"{self.metric}, {self.split}")
        axes.set_xticklabels(list(self.arms), rotation=12)
