"""The learning rate of each step."""

import math
from typing import assert_never

from saccade.training.config import TrainingConfig


def learning_rate(step: int, width: int, config: TrainingConfig, plateaus: int = 0) -> float:
    """The learning rate of a step, counted from 1: Eq. 3, section 5.3 of Vaswani et al. 2017.

    lrate = d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), times `learning_rate_factor`. All schedules share the
    linear warmup and so the peak d_model^-0.5 * warmup^-0.5, unless `learning_rate` names another one; they differ in
    what follows it. Only `without_warmup`, which shows what the warmup is for, has that peak from the first step on:
    d_model^-0.5 * min(step^-0.5, warmup^-0.5). `plateaus` counts the validations so far that found no lower loss.

    Halving is how Sutskever et al. 2014 (section 3.4) and Luong et al. 2015 (section 4.1) end their training, and
    division after a plateau how Gehring et al. 2017 (section 4.2) do.
    """
    assert step >= 1, "steps are counted from 1"
    peak = config.learning_rate
    if peak is None:
        peak = config.learning_rate_factor / math.sqrt(width * config.warmup)
    if step <= config.warmup:
        return peak if config.schedule == "without_warmup" else peak * step / config.warmup
    match config.schedule:
        case "inverse_square_root" | "without_warmup":
            return peak * math.sqrt(config.warmup / step)
        case "linear":
            return peak * max(0.0, (config.steps - step) / (config.steps - config.warmup))
        case "cosine":
            passed = min(1.0, (step - config.warmup) / max(1, config.steps - config.warmup))
            return peak * (1 + math.cos(math.pi * passed)) / 2
        case "constant":
            return peak
        case "halving":
            assert config.halve_after is not None
            assert config.halve_every is not None
            beyond = step - config.halve_after
            return peak * 0.5 ** (1 + (beyond - 1) // config.halve_every if beyond > 0 else 0)
        case "plateau":
            return peak / config.plateau_divisor**plateaus
        case _:
            assert_never(config.schedule)
