"""Models that differ in one thing, trained with the same seeds, and the rule that compares them.

Every model has one figure a seed, the lower the better: nats of a held-out token, or a share of errors. Two models are
compared seed by seed, by the mean of the differences and its standard error over seeds:

    lower   "holds" or "does not hold" if the mean is further from zero than three standard errors and than `least`
    level   "holds" if the mean is nearer to zero than `within` by three standard errors, "does not hold" if it is
            further by as many

Anything else is "undecided". A run that diverged counts as the loss of guessing among all words.
"""

import argparse
import math
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.lineage.small_runs import Job, Trained, arguments, mean_and_deviation, run_all, training
from saccade.data.prepared_corpus import Prepared

LEAST = 0.01
"""One percent of a perplexity."""
STANDARD_ERRORS = 3


@dataclass(frozen=True)
class Arm:
    """An architecture of the catalogue, its settings, and what is changed in its training."""

    architecture: str
    settings: Mapping[str, Any]
    training: Mapping[str, Any]


@dataclass(frozen=True)
class Figures:
    """One figure for each arm and seed, and what it is."""

    what: str
    by_arm: Mapping[str, Sequence[float]]

    def lower(self, one: str, other: str, least: float = LEAST) -> str:
        """Whether the first arm is lower than the second."""
        mean, error = self._difference(other, one)
        if abs(mean) <= max(STANDARD_ERRORS * error, least):
            said = "undecided"
        else:
            said = "holds" if mean > 0 else "does not hold"
        return f"{one} lower than {other}: {said} ({-mean:+.4f}, standard error {error:.4f})"

    def level(self, one: str, other: str, within: float) -> str:
        """Whether two arms differ by less than this."""
        mean, error = self._difference(other, one)
        nearer, further = abs(mean) + STANDARD_ERRORS * error, abs(mean) - STANDARD_ERRORS * error
        said = "holds" if nearer < within else "does not hold" if further > within else "undecided"
        return f"{one} within {within} of {other}: {said} ({-mean:+.4f}, standard error {error:.4f})"

    def table(self) -> str:
        """All arms, mean and deviation over seeds."""
        lines = [f"| | {self.what} | seeds |", "|---|---|---|"]
        lines += [f"| {arm} | {mean_and_deviation(each, 4)} | {len(each)} |" for arm, each in self.by_arm.items()]
        return "\n".join(lines)

    def _difference(self, one: str, other: str) -> tuple[float, float]:
        differences = [a - b for a, b in zip(self.by_arm[one], self.by_arm[other], strict=True)]
        if len(differences) < 2:  # a single seed has no spread
            return differences[0], math.inf
        return statistics.mean(differences), statistics.stdev(differences) / math.sqrt(len(differences))


def loss(run: Trained) -> float:
    """Nats of a held-out token."""
    return min(run.loss, guessing(run.job)) if math.isfinite(run.loss) else guessing(run.job)


def guessing(job: Job) -> float:
    """The loss of all words being equally probable."""
    return math.log(job.vocabularies[1])


def arguments_of(description: str | None, steps: int) -> argparse.ArgumentParser:
    """The options of an experiment; five seeds, since runs are short."""
    parser = arguments(description, steps)
    parser.set_defaults(seeds=5)
    return parser


def train_arms(arms: Mapping[str, Arm], data: Prepared, asked: argparse.Namespace) -> dict[str, list[float]]:
    """The loss that each arm reached with each seed."""
    (train,) = data.train
    vocabularies = (data.source_tokenizer.size, data.target_tokenizer.size)
    return train_on_stores(arms, (train.folder, data.valid.folder), vocabularies, asked, loss)


def train_on_stores(
    arms: Mapping[str, Arm],
    stores: tuple[Path, Path],
    vocabularies: tuple[int, int],
    asked: argparse.Namespace,
    measure: Callable[[Trained], float],
) -> dict[str, list[float]]:
    """What each arm reached with each seed, by another measure."""
    seeds = range(1, asked.seeds + 1)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [
            Job(
                label,
                arm.architecture,
                arm.settings,
                stores,
                vocabularies,
                training(asked.steps, seed, **arm.training),
                Path(folder) / f"{number}-{seed}",
                asked.device,
            )
            for number, (label, arm) in enumerate(arms.items())
            for seed in seeds
        ]
        found = iter(run_all(jobs, measure, asked.parallel, guessing))
    return {label: [next(found) for _ in seeds] for label in arms}
