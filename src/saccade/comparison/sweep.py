"""A sweep before a comparison: learning rate and initial weights of every system, found in the same way for all.

Every system begins with the recipe's peak rate and the initial weights that its architecture draws, times the recipe's
`training.initial_scale`. For a short budget, with the first seed, it is trained so, with half and twice the rate, and
with weights half and twice as large. What has the lowest perplexity on the validation set is the place from which the
next round looks half and twice as far again, until no neighbour is better. So what is found does not lie at the edge of
what was tried, unless the rounds are over. `trials.py` runs them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saccade.comparison.budget import Budget, Kind
from saccade.comparison.parameter_matching import outline
from saccade.comparison.plan import ComparisonRequest
from saccade.comparison.system_spec import SystemSpec
from saccade.data.prepared_corpus import Prepared
from saccade.errors import ConfigError, RunError
from saccade.recipes.recipe import Recipe

SWEPT: tuple[Kind, ...] = ("steps", "tokens", "operations")
"""What the budget of a sweep may count."""
ROUNDS = 6
"""After so many a system trains with the best so far: a 64th and 64 times of what it began with are in reach."""
_RATE, _SCALE = "training.learning_rate", "training.initial_scale"
_SHORT = ("training.validate_every=1000000", "training.checkpoint_every=1000000")


@dataclass(frozen=True)
class Trial:
    """One way to train a system in the sweep."""

    system: SystemSpec
    rate: float
    """The peak of the schedule."""
    scale: float
    """Initial weights, as a multiple of what the architecture draws."""

    @property
    def spec(self) -> SystemSpec:
        """The system with these settings."""
        return replace(
            self.system, settings=(*self.system.settings, f"{_RATE}={self.rate:.4g}", f"{_SCALE}={self.scale:g}")
        )

    @property
    def neighbours(self) -> list["Trial"]:
        """One step further in each direction."""
        rates = [Trial(self.system, self.rate * times, self.scale) for times in (0.5, 2.0)]
        return [*rates, *(Trial(self.system, self.rate, self.scale * times) for times in (0.5, 2.0))]


@dataclass(frozen=True)
class Sweep:
    """What a sweep has found: the perplexity on the validation set of every trial."""

    budget: Budget
    perplexities: Mapping[Trial, float]
    failed: frozenset[Trial] = frozenset()
    """Trials that ended without a likelihood."""

    def best(self, system: SystemSpec) -> Trial:
        """The trial that decides; of two that are equal, the one nearer to what the recipe says."""
        own = [trial for trial in self.perplexities if trial.system == system]
        return min(own, key=lambda trial: (self.perplexities[trial], own.index(trial)))

    @property
    def systems(self) -> tuple[SystemSpec, ...]:
        """The systems as the comparison is to train them."""
        return tuple(self.best(system).spec for system in dict.fromkeys(trial.system for trial in self.perplexities))

    @property
    def untried(self) -> list[Trial]:
        """What the next round has to try: the neighbours of every system's best."""
        best = [self.best(system) for system in dict.fromkeys(trial.system for trial in self.perplexities)]
        beside = [neighbour for trial in best for neighbour in trial.neighbours]
        return [trial for trial in beside if trial not in self.perplexities and trial not in self.failed]

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
            "fit into a time, every trial would have to be measured first. Write 2000steps, 8Mtok or 4e14flop."
        )
    for system in request.systems if request.sweep is not None else ():
        for key in (_RATE, "training.learning_rate_factor", _SCALE):
            if system.sets(key):
                raise ConfigError(
                    f"`{system.label}` must leave `{key}` to the sweep, but sets it. Leave out one of the two."
                )


def first_round(request: ComparisonRequest, base: Recipe, prepared: Prepared) -> list[Trial]:
    """For each system the rate and the initial weights that the recipe says, and what lies beside them."""
    peak, scale = peak_rate(base, prepared), base.training.initial_scale
    own = [Trial(system, peak, scale) for system in request.systems]
    return [trial for first in own for trial in (first, *first.neighbours)]


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
    """The trials as systems of a plan."""
    return replace(
        request,
        systems=tuple(trial.spec for trial in tried),
        budget=request.sweep,
        seeds=1,
        overrides=(*request.overrides, *_SHORT),
        sweep=None,
    )


def found(request: ComparisonRequest, tried: Sequence[Trial], perplexities: Mapping[SystemSpec, float]) -> Sweep:
    """What the trials say that ended well; each system needs one."""
    assert request.sweep is not None
    ended = {
        trial: perplexity
        for trial in tried
        if (perplexity := perplexities.get(trial.spec)) is not None and math.isfinite(perplexity)
    }
    for system in request.systems:
        if not any(trial.system == system for trial in ended):
            raise RunError(
                f"`{system.label}` must end one trial of the sweep with a likelihood, but none did. See sweep/runs; "
                "what failed is run again when its file in sweep/found is removed."
            )
    return Sweep(request.sweep, ended, frozenset(trial for trial in tried if trial not in ended))
