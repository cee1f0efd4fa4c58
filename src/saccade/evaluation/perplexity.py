"""How surprised a model is by the references: perplexity from the unsmoothed negative log-likelihood."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from saccade.errors import InputError


@dataclass(frozen=True)
class Likelihood:
    """The summed negative log-likelihood, in nats and without label smoothing, of so many target tokens, EOS included.

    Tokens are the pieces of the model's own vocabulary: perplexities of models with other pieces do not compare.
    """

    negative_log_likelihood: float
    tokens: int

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise InputError("perplexity must be of at least one token, but there is none. Give references with text.")

    @classmethod
    def of(cls, sentences: Iterable[Iterable[float]]) -> "Likelihood":
        """From the log-probability of each token of each sentence."""
        tokens = [log_probability for sentence in sentences for log_probability in sentence]
        return cls(-math.fsum(tokens), len(tokens))

    @property
    def per_token(self) -> float:
        """The loss that training would report if it did not smooth."""
        return self.negative_log_likelihood / self.tokens

    @property
    def perplexity(self) -> float:
        """exp(-(1/T) sum_t log p(y_t | y_<t, x)), over all tokens of the corpus; infinite where a float ends."""
        try:
            return math.exp(self.per_token)
        except OverflowError:
            return math.inf
