"""How far a run has come between two steps: everything that resuming needs besides weights and optimizer state."""

from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import Any, Literal

from saccade.data.batches import Position
from saccade.training.config import TrainingConfig

Ending = Literal["interrupted", "minutes", "patience", "steps"]
ENDINGS: tuple[Ending, ...] = ("interrupted", "minutes", "patience", "steps")
"""Why a run ended, weakest first: an interrupted run resumes with the same command, the others are finished."""


@dataclass(frozen=True)
class JournalSums:
    """Sums since the last journal line, so that a resumed run writes the line the unbroken one would have written."""

    steps: int = 0
    tokens: int = 0
    smoothed: float = 0.0
    plain: float = 0.0
    correct: float = 0.0
    seconds: float = 0.0

    def plus(self, tokens: int, smoothed: float, plain: float, correct: float, seconds: float) -> "JournalSums":
        """The sums one step later."""
        return replace(
            self,
            steps=self.steps + 1,
            tokens=self.tokens + tokens,
            smoothed=self.smoothed + smoothed,
            plain=self.plain + plain,
            correct=self.correct + correct,
            seconds=self.seconds + seconds,
        )


@dataclass(frozen=True)
class Best:
    """The best validation so far."""

    step: int
    score: float


@dataclass(frozen=True)
class TrainingProgress:
    """Steps done, the next micro-batch, the best validation and how many came since, time spent, the open window.

    `lowest_loss` is the lowest of all validations; `plateaus` counts those that found no lower one, for schedules that
    depend on it. The fields are the keys of checkpoints.
    """

    step: int = 0
    position: Position = Position(0, 0)
    best: Best | None = None
    validations_since_best: int = 0
    lowest_loss: float | None = None
    plateaus: int = 0
    seconds: float = 0.0
    window: JournalSums = field(default_factory=JournalSums)

    def after_validation(self, score: float, loss: float) -> "TrainingProgress":
        """The progress after a validation; neither a tie nor NaN is an improvement."""
        if not isnan(loss) and (self.lowest_loss is None or loss < self.lowest_loss):
            return replace(self, lowest_loss=loss)._after_score(score)
        return replace(self, plateaus=self.plateaus + 1)._after_score(score)

    def _after_score(self, score: float) -> "TrainingProgress":
        if not isnan(score) and (self.best is None or score > self.best.score):
            return replace(self, best=Best(self.step, score), validations_since_best=0)
        return replace(self, validations_since_best=self.validations_since_best + 1)

    def ended_by(self, config: TrainingConfig) -> Ending | None:
        """The rule of the config that ends the run here, if any."""
        if self.step >= config.steps:
            return "steps"
        if config.patience is not None and self.validations_since_best >= config.patience:
            return "patience"
        if config.minutes is not None and self.seconds >= 60 * config.minutes:
            return "minutes"
        return None

    def as_json(self) -> dict[str, Any]:
        """Plain values; JSON keeps every bit of a float, and `json_files.from_json` reads them back."""
        return asdict(self)
