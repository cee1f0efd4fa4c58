"""A sweep before a comparison: learning rate and initial weights of every system, found in the same way for all.

Every system is trained for a short budget, with the first seed, at each of three peak rates and with initial weights of
two sizes. What has the lowest perplexity on the validation set is what the comparison trains the system with. The runs
are a comparison of their own, in the folder sweep/, and go on where they were stopped as any other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saccade.comparison.budget import Budget, Kind
from saccade.comparison.finished_run import FinishedRun
from saccade.comparison.parameter_matching import outline
from saccade.comparison.plan import ComparisonRequest
from saccade.comparison.system_spec import SystemSpec
from saccade.data.prepared_corpus import Prepared
from saccade.errors import ConfigError, RunError
from saccade.recipes.recipe import Recipe

SWEPT: tuple[Kind, ...] = ("steps", "tokens", "operations")
"""What the budget of a sweep may count."""
RATES = (0.5, 1.0, 2.0)
"""Peak learning rates, as multiples of the recipe's."""
SCALES = (1.0, 0.5)
"""Initial weights, as multiples of what the architecture draws."""
_RATE, _SCALE = "training.learning_rate", "training.initial_scale"
# Only the likelihood at the end of a run is looked at: to search for outputs takes longer than so short a training.
_SHORT = ("training.validate_every=1000000", "decoding.size=1")


@dataclass(frozen=True)
class Trial:
    """One way to train a system in the sweep."""

    system: SystemSpec
    rate: float
    scale: float

    @property
    def spec(self) -> SystemSpec:
        """The system with these settings."""
        return replace(
            self.system, settings=(*self.system.settings, f"{_RATE}={self.rate:.4g}", f"{_SCALE}={self.scale:g}")
        )


@dataclass(frozen=True)
class Sweep:
    """What a sweep has found: the perplexity on the validation set of every trial."""

    budget: Budget
    perplexities: Mapping[Trial, float]

    def best(self, system: SystemSpec) -> Trial:
        """The trial that decides; of two that are equal, the one nearer to what the recipe says."""
        own = [trial for trial in self.perplexities if trial.system == system]
        return min(own, key=lambda trial: (self.perplexities[trial], own.index(trial)))

    @property
    def systems(self) -> tuple[SystemSpec, ...]:
        """The systems as the comparison is to train them."""
        return tuple(self.best(system).spec for system in dict.fromkeys(trial.system for trial in self.perplexities))

    def to_json(self) -> dict[str, Any]:
        """As the report has it."""
        return {
            "budget": self.budget.words,
            "trials": [
                {
                    "system": trial.system.label,
                    "rate": trial.rate,
                    "scale": trial.scale,
                    "perplexity": perplexity,
                    "chosen": trial == self.best(trial.system),
                }
                for trial, perplexity in self.perplexities.items()
            ],
        }


def check_sweep(request: ComparisonRequest) -> None:
    """Refuses what cannot be swept."""
    if request.sweep is not None and request.sweep.kind not in SWEPT:
        raise ConfigError(
            f"`--sweep` must count steps, tokens or operations, but is {request.sweep.text!r}: to know how many steps "
            "fit into a time, every trial would have to be measured first. Write 500steps, 2Mtok or 1e14flop."
        )
    for system in request.systems if request.sweep is not None else ():
        for key in (_RATE, "training.learning_rate_factor", _SCALE):
            if system.sets(key):
                raise ConfigError(
                    f"`{system.label}` must leave `{key}` to the sweep, but sets it. Leave out one of the two."
                )


def trials(request: ComparisonRequest, base: Recipe, prepared: Prepared) -> list[Trial]:
    """Every trial, for each system the recipe's own rate first."""
    peak = peak_rate(base, prepared)
    rates = sorted(RATES, key=lambda times: abs(math.log(times)))
    return [Trial(system, peak * times, scale) for system in request.systems for scale in SCALES for times in rates]


def peak_rate(base: Recipe, prepared: Prepared) -> float:
    """The highest learning rate of a recipe."""
    training = base.training
    if training.learning_rate is not None:
        return training.learning_rate
    width = outline(
        base.architecture, base.model, (prepared.source_tokenizer.size, prepared.target_tokenizer.size)
    ).width
    return training.learning_rate_factor / math.sqrt(width * training.warmup)


def short_request(request: ComparisonRequest, tried: Sequence[Trial]) -> ComparisonRequest:
    """The runs of the sweep."""
    return replace(
        request,
        systems=tuple(trial.spec for trial in tried),
        budget=request.sweep,
        seeds=1,
        overrides=(*request.overrides, *_SHORT),
        sweep=None,
    )


def found(
    request: ComparisonRequest, tried: Sequence[Trial], records: Sequence[tuple[SystemSpec, FinishedRun]]
) -> Sweep:
    """What the finished runs of the sweep say; each system needs one."""
    assert request.sweep is not None
    by_spec = {spec: record.validation_perplexity for spec, record in records}
    ended = {
        trial: perplexity
        for trial in tried
        if (perplexity := by_spec.get(trial.spec)) is not None and math.isfinite(perplexity)
    }
    for system in request.systems:
        if not any(trial.system == system for trial in ended):
            raise RunError(
                f"`{system.label}` must end one run of the sweep with a likelihood, but none did. See sweep/."
            )
    return Sweep(request.sweep, ended)
