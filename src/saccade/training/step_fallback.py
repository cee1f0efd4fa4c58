"""CUDA graphs give way to eager steps: where memory does not suffice, or where a step cannot be captured."""

from collections.abc import Callable, Sequence

import torch

from saccade.cuda_graph import CaptureError
from saccade.sequences import Pairs
from saccade.training.step import Stepper, StepResult


class StepFallback:
    """Takes steps with `first` until it fails, and from that step on with `second`.

    `withdraw` undoes what the first has set up. A step that failed has changed no weight, so it can be taken again.
    """

    def __init__(self, first: Stepper, second: Stepper, withdraw: Callable[[], None]) -> None:
        self.stepper = first
        self.second = second
        self.withdraw = withdraw
        self.ahead = first.ahead

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> StepResult:
        """Takes a step with whichever of the two is in use."""
        try:
            return self.stepper.take(micro_batches, tokens, step, rate)
        except (torch.OutOfMemoryError, CaptureError):
            if self.stepper is self.second:
                raise
        # Only after the `except` block is the error gone, and with it the memory that its traceback held.
        self.withdraw()
        self.stepper, self.ahead = self.second, self.second.ahead
        torch.cuda.empty_cache()
        return self.stepper.take(micro_batches, tokens, step, rate)
