"""Where a run stands between two steps: all that continuing needs besides weights and moments."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import Any, Literal

from saccade.data.batches import Position
from saccade.training.config import TrainingConfig

Ending = Literal["interrupted", "minutes", "patience", "steps"]
ENDINGS: tuple[Ending, ...] = ("interrupted", "minutes", "patience", "steps")
"""Why a run goes no further, weakest first: an interrupted run goes on with the same command, the others are done."""


@dataclass(frozen=True)
class Window:
    """Sums since the last journal line, so that a continued run writes the line the unbroken one would have."""

    steps: int = 0
    tokens: int = 0
    smoothed: float = 0.0
    plain: float = 0.0
    correct: float = 0.0
    seconds: float = 0.0

    def plus(self, tokens: int, smoothed: float, plain: float, correct: float, seconds: float) -> "Window":
        """The window one step later."""
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
    """The validation nothing has beaten yet."""

    step: int
    score: float


@dataclass(frozen=True)
class Standing:
    """Steps done, the next micro-batch, the best validation and how many came since, time spent, the open window.

    `lowest_loss` is that of all validations, and `plateaus` how many found no lower one: a schedule may go by them.
    """

    step: int = 0
    position: Position = Position(0, 0)
    best: Best | None = None
    validations_since_best: int = 0
    lowest_loss: float | None = None
    plateaus: int = 0
    seconds: float = 0.0
    window: Window = field(default_factory=Window)

    def judged(self, score: float, loss: float) -> "Standing":
        """The standing after a validation; neither a tie nor what is no number is an improvement."""
        if not isnan(loss) and (self.lowest_loss is None or loss < self.lowest_loss):
            return replace(self, lowest_loss=loss)._scored(score)
        return replace(self, plateaus=self.plateaus + 1)._scored(score)

    def _scored(self, score: float) -> "Standing":
        if not isnan(score) and (self.best is None or score > self.best.score):
            return replace(self, best=Best(self.step, score), validations_since_best=0)
        return replace(self, validations_since_best=self.validations_since_best + 1)

    def ended_by(self, config: TrainingConfig) -> Ending | None:
        """The rule of the config that ends the run here, if one does."""
        if self.step >= config.steps:
            return "steps"
        if config.patience is not None and self.validations_since_best >= config.patience:
            return "patience"
        if config.minutes is not None and self.seconds >= 60 * config.minutes:
            return "minutes"
        return None

    def as_json(self) -> dict[str, Any]:
        """Plain values; JSON keeps every bit of a float."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Standing":
        """The inverse of `as_json`."""
        return cls(
            step=content["step"],
            position=Position(**content["position"]),
            best=Best(**content["best"]) if content["best"] else None,
            validations_since_best=content["validations_since_best"],
            lowest_loss=content.get("lowest_loss"),
            plateaus=content.get("plateaus", 0),
            seconds=content["seconds"],
            window=Window(**content["window"]),
        )
