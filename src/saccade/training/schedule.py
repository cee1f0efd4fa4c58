"""How fast to learn at each step."""

import math
from typing import assert_never

from saccade.training.config import TrainingConfig


def learning_rate(step: int, width: int, config: TrainingConfig) -> float:
    """The learning rate of a step, counted from 1: Eq. 3, section 5.3 of Vaswani et al. 2017.

    lrate = d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), times `learning_rate_factor`. All schedules share the
    linear warmup and so the peak d_model^-0.5 * warmup^-0.5; they differ in what follows it.
    """
    assert step >= 1, "steps are counted from 1"
    peak: float = config.learning_rate_factor / math.sqrt(width * config.warmup)
    if step <= config.warmup:
        return peak * step / config.warmup
    match config.schedule:
        case "inverse_square_root":
            return peak * math.sqrt(config.warmup / step)
        case "linear":
            return peak * max(0.0, (config.steps - step) / (config.steps - config.warmup))
        case "constant":
            return peak
        case _:
            assert_never(config.schedule)
