"""Whole runs of saccade, one for each model and seed, over one preparation of the corpus; and what they reached.

A run that is finished is not run again, so an experiment that was stopped goes on where it was when it is given the
same folder.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from bench.shared_data import sharing_data
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.models.catalogue import architecture, build
from saccade.recipes.recipe import build_recipe
from saccade.runs.run import train
from saccade.weights import parameter_count

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Runs:
    """Where runs are kept, and what they have in common."""

    folder: Path
    data: Settings
    training: Settings
    device: str = "cpu"

    def run(self, name: str, model: Settings, seed: int, **training: Any) -> "Reached":
        """Trains this model, or finds what it reached before."""
        folder = self.folder / f"{name.replace(' ', '-')}-{seed}"
        document = {
            "name": name,
            "data": dict(self.data),
            "model": dict(model),
            "training": {**self.training, **training, "seed": seed},
        }
        with sharing_data(folder, self.folder / "data"):
            result = train(build_recipe(document), folder, device=self.device)
            assert not result.interrupted
        scores = {split: dict(values) for split, values in result.scores.items()}
        print(f"  {name}, seed {seed}: {scores}", file=sys.stderr, flush=True)
        return Reached(folder / "model", scores)

    def run_all(self, wanted: Sequence[tuple[str, Settings, int]], parallel: int) -> None:
        """Trains models of these names, settings and seeds side by side; `run` then finds what each reached."""
        if parallel == 1:
            return
        prepare(DataConfig(**self.data), self.folder / "data")
        with ProcessPoolExecutor(parallel, get_context("spawn")) as pool:
            list(pool.map(self._alone, wanted))

    def _alone(self, wanted: tuple[str, Settings, int]) -> None:
        torch.set_num_threads(1)
        self.run(*wanted)


@dataclass(frozen=True)
class Reached:
    """A finished model and its scores by split and metric."""

    model: Path
    scores: Mapping[str, Mapping[str, float]]


def parameters(model: Settings, vocabularies: tuple[int, int]) -> int:
    """How many a model of these settings has."""
    settings = dict(model)
    name = settings.pop("architecture")
    with torch.device("meta"):
        built = build(name, architecture(name).config(**settings), *vocabularies)
    return parameter_count(built)


def widened(model: Settings, vocabularies: tuple[int, int], wanted: int) -> dict[str, Any]:
    """The same model with the width that brings it nearest to so many parameters."""
    return min(
        ({**model, "width": width} for width in range(4, 1025)),
        key=lambda sized: abs(parameters(sized, vocabularies) - wanted),
    )


def asked(description: str | None, corpora: bool = True, least_steps: int = 1) -> argparse.Namespace:
    """What the command line of an experiment says; one that makes its own data needs no corpora."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, help="other than the usual number")
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side")
    parser.add_argument("--folder", type=Path, help="where runs are kept; a temporary one otherwise")
    found = parser.parse_args()
    if corpora and "SACCADE_DATA" not in os.environ:
        parser.error("SACCADE_DATA must name the folder of corpora")
    if found.steps is not None and found.steps < least_steps:
        parser.error(f"--steps must be {least_steps} or more, but is {found.steps}")
    if found.folder is None:
        found.folder = Path(tempfile.mkdtemp(prefix="saccade-lineage-"))
    if found.device == "cpu":
        torch.set_num_threads(1)
    return found
