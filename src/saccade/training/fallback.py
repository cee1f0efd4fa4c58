"""The fast way to take a step, until it turns out not to fit into memory; then the frugal one."""

from collections.abc import Callable, Sequence

import torch

from saccade.sequences import Pairs
from saccade.training.step import Outcome, Stepper


class Fallback:
    """Takes steps with `first` until memory ends there, and from then on, that step included, with `second`.

    `withdraw` undoes what the first has set up. A step that failed has changed no weight, so it can be taken again.
    """

    def __init__(self, first: Stepper, second: Stepper, withdraw: Callable[[], None]) -> None:
        self.stepper = first
        self.second = second
        self.withdraw = withdraw
        self.ahead = first.ahead

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> Outcome:
        """Takes a step, one way or the other."""
        try:
            return self.stepper.take(micro_batches, tokens, step, rate)
        except torch.OutOfMemoryError:
            if self.stepper is self.second:
                raise
        # Only here is the error gone, and with it what it held in memory.
        self.withdraw()
        self.stepper, self.ahead = self.second, self.second.ahead
        torch.cuda.empty_cache()
        return self.stepper.take(micro_batches, tokens, step, rate)
