"""One output of a search, with what the model thinks of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """The tokens that were written, EOS among them when the output ended by itself.

    `log_probability` is log P(Y | X), the sum of `token_log_probabilities`; `score` is what the search ranked by.
    An engine that only knows the sum leaves the others out.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    token_log_probabilities: tuple[float, ...] | None
    finished: bool
