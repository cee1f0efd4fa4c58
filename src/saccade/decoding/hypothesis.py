"""The result type of every search: one output with its log-probabilities and score."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Hypothesis:
    """The tokens of an output, including EOS if it is finished.

    `log_probability` is log P(Y | X), the sum of `token_log_probabilities`; `score` is what the search ranked by.
    `token_log_probabilities` is None where an engine reports only the sum. `engine` is what searched.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    token_log_probabilities: tuple[float, ...] | None
    finished: bool
    engine: Literal["torch", "ctranslate2"] = "torch"
