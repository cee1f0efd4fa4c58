"""What a training step is to the loop: it is taken, perhaps runs on in the background, and has a loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, runtime_checkable

from saccade.sequences import Pairs


@dataclass(frozen=True)
class Split:
    """What did not fit into memory: the most sentences of a batch that was halved, and how many halvings there were."""

    sentences: int = 0
    halvings: int = 0


@dataclass(frozen=True)
class StepLoss:
    """Sums over all target tokens of a step, whichever process they are in, and the norm of its gradient."""

    smoothed: float
    plain: float
    correct: float
    gradient_norm: float
    split: Split = Split()

    @property
    def finite(self) -> bool:
        """Whether loss and gradient are finite; a step that is not finite has changed no weight."""
        return isfinite(self.smoothed) and isfinite(self.gradient_norm)


@runtime_checkable
class StepResult(Protocol):
    """The result of a step, which may still be running on a GPU."""

    def loss(self) -> StepLoss:
        """Waits for the step and returns its loss."""


@dataclass(frozen=True)
class FinishedStep:
    """The result of a step that has run."""

    value: StepLoss

    def loss(self) -> StepLoss:
        """Its loss."""
        return self.value


@runtime_checkable
class Stepper(Protocol):
    """Takes training steps."""

    ahead: int
    """How many steps may be in flight before the loss of the first of them is read."""

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> StepResult:
        """Takes step number `step`, of `tokens` target tokens over all processes, at this learning rate."""
