"""Outputs that the model itself was not sure of: a sign that something in them is wrong, and nothing says what.

    certainty = log P / sqrt(n)     n: tokens, the end among them

The mean over tokens, which confidences are made of, hides one bad word in a long sentence: it tells whether an output
is near a right translation as a whole. The sum blames every long sentence. What lies between them tells outputs in
which a reader finds a fault from the others better than either (`bench/hard_lines/faults.py`, docs/log.md).

How certain a model usually is, held-out text tells: unsure is what would be among the least certain tenth of it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from saccade.quality.faults import Fault

UNSURE = 0.1
"""The share of held-out outputs that are less certain than the bound."""


@dataclass(frozen=True)
class CertaintyBound:
    """How certain a model must be of an output."""

    lowest: float

    @classmethod
    def learned(cls, outputs: Iterable[tuple[float, int]]) -> "CertaintyBound | None":
        """From the log-probabilities of held-out outputs and how many tokens they have; None without any."""
        certainties = sorted(certainty(*output) for output in outputs if output[1])
        return cls(certainties[int(UNSURE * len(certainties))]) if certainties else None

    def __call__(self, log_probability: float, tokens: int) -> list[Fault]:
        """Whether the model was unsure of an output."""
        if not tokens or certainty(log_probability, tokens) >= self.lowest:
            return []
        return [Fault("unsure", f"less certain than {1 - UNSURE:.0%} of held-out text")]


def certainty(log_probability: float, tokens: int) -> float:
    """Of an output of at least one token."""
    return log_probability / math.sqrt(tokens)
