"""Every bench by its command, what it needs, and which of it this machine has: what `python -m bench` says first."""

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from bench.environments import ENVIRONMENTS, FOLDER
from bench.implementations import Implementation

Need = Callable[[], str | None]
"""What is missing, in a few words; None where nothing is."""


def gpu() -> str | None:
    """A CUDA device."""
    return None if torch.cuda.is_available() else "a CUDA device"


def corpora() -> str | None:
    """The folder of corpora."""
    folder = os.environ.get("SACCADE_DATA")
    return None if folder and Path(folder).is_dir() else "corpora in $SACCADE_DATA"


def chromium() -> str | None:
    """A browser."""
    return None if shutil.which("chromium") else "chromium"


def module(name: str, package: str) -> Need:
    """A module of the environment that the bench runs in."""
    return lambda: None if importlib.util.find_spec(name) else f"the package {package}"


transformers, ctranslate2 = module("transformers", "transformers"), module("ctranslate2", "ctranslate2")


@dataclass(frozen=True)
class Bench:
    """A command, what it measures, and what it cannot do without."""

    command: str
    measures: str
    needs: tuple[Need, ...] = ()

    @property
    def missing(self) -> list[str]:
        """What this machine lacks for it."""
        return [lacks for need in self.needs if (lacks := need()) is not None]


BENCHES = (
    Bench("bench", "training, decoding and start-up on a CPU, beside every peer"),
    Bench("bench.prepare", "text to token stores", (corpora,)),
    Bench("bench.own_search_cpu", "our own search on a CPU, beside CTranslate2 in float32", (ctranslate2,)),
    Bench("bench.search_cpu", "a file of sentences on a CPU", (ctranslate2,)),
    Bench("bench.imported_cpu", "an imported model on a CPU", (transformers, ctranslate2)),
    Bench("bench.text_path", "what everything around the search costs"),
    Bench("bench.constraints", "protected spans and forced terms", (corpora,)),
    Bench("bench.repairs", "repairs of outputs", (corpora,)),
    Bench("bench.hard_lines", "what becomes of numbers, names, tags and the like"),
    Bench("bench.shipped", "what a shipped model must hold", (corpora,)),
    Bench("bench.search_settings", "what the beam and the length penalty are worth", (corpora,)),
    Bench("bench.shipped.back_translating", "text that a shipped model was trained with", (gpu, corpora)),
    Bench("bench.serve", "the service under load"),
    Bench("bench.bulk", "files of millions of lines"),
    Bench("bench.first_picture", "how long a reader of the explorer waits for a picture", (chromium,)),
    Bench("bench.live_page", "a model inside a live page", (chromium,)),
    Bench("bench.live_equality", "whether it computes there what it computes in Python", (chromium,)),
    Bench("bench.parsing_peer", "another parser on the same trees", (corpora,)),
    Bench("bench.gpu", "training and decoding on a GPU, beside the peers", (gpu,)),
    Bench("bench.imported", "an imported model on a GPU, beside transformers", (gpu, transformers)),
    Bench("bench.imported_trained", "the same with a trained model", (gpu, transformers, corpora)),
    Bench("bench.time_to_quality", "what makes a training good sooner", (gpu,)),
    Bench("bench.seconds_to_quality", "how long after Enter a training is good", (gpu,)),
    Bench("bench.noise", "what noise in training costs and gives", (corpora,)),
    Bench("bench.improving.fine_tuning", "what fine-tuning gains", (gpu, corpora)),
    Bench("bench.improving.back_translation", "what back-translation gains", (gpu, corpora)),
    Bench("bench.improving.distillation", "what distillation gains", (gpu, corpora)),
    Bench("bench.lineage.training_speed", "training of every system", (gpu,)),
)


def listing() -> Iterator[str]:
    """A line for each bench: whether it can run here, or what is missing."""
    wide = max(len(bench.command) for bench in BENCHES)
    for bench in BENCHES:
        state = f"needs {' and '.join(bench.missing)}" if bench.missing else "can run here"
        yield f"python -m {bench.command:<{wide}}  {bench.measures}: {state}"


def obstacles(implementations: Sequence[Implementation]) -> Iterator[str]:
    """A line for each implementation that will be left out of the tables, or has to be installed first."""
    for one in implementations:
        if one.obstacle is not None:
            yield f"{one.key} is left out: {one.obstacle}"
    for name in dict.fromkeys(one.environment for one in implementations if one.environment in ENVIRONMENTS):
        failed = FOLDER / f"{name}.failed"
        if failed.exists():
            reason = failed.read_text(encoding="utf-8").strip()
            yield f"{name} is left out: {reason} (remove {failed.name} to try again)"
        elif not (FOLDER / str(name) / "ready").exists():
            yield f"{name} is installed first, which takes minutes"
