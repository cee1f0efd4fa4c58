"""How surprised a model is by the references: perplexity from the unsmoothed negative log-likelihood."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from saccade import __version__
from saccade.errors import InputError
from saccade.evaluation.bleu import is_spaceless
from saccade.evaluation.bootstrap import SEED, bootstrap_interval
from saccade.evaluation.buckets import length_in_characters, length_in_words
from saccade.evaluation.score import Conditions, Score


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

    @classmethod
    def total(cls, parts: Sequence["Likelihood"]) -> "Likelihood":
        """That of all parts together."""
        return cls(math.fsum(part.negative_log_likelihood for part in parts), sum(part.tokens for part in parts))

    @property
    def per_token(self) -> float:
        """The loss that training would report if it did not smooth."""
        return self.negative_log_likelihood / self.tokens

    @property
    def perplexity(self) -> float:
        """exp(-(1/T) sum_t log p(y_t | y_<t, x)), over all tokens of the corpus; infinite where a float ends."""
        return _exponential(self.per_token)


def perplexity(lines: Sequence[str], likelihoods: Sequence[Likelihood], conditions: Conditions) -> Score:
    """Perplexity per token: exp(N / T), N the negative log-likelihood of all lines and T their tokens, EOS included."""
    counts = [likelihood.tokens for likelihood in likelihoods]
    return _score("perplexity", "perplexity per token", lines, likelihoods, counts, "tokens:pieces+eos", conditions)


def word_perplexity(lines: Sequence[str], likelihoods: Sequence[Likelihood], conditions: Conditions) -> Score:
    """Perplexity per word: exp(N / W), where W counts the words between spaces and the end of each line as one more.

    The probability of a line is that of its pieces, whatever they are, so that models with other pieces compare. (For
    bpe and unigram, whose pieces may cut a line in several ways, it is a lower bound, and this an upper one.) Where a
    language writes no spaces, characters take the place of words.
    """
    spaceless = is_spaceless(conditions.language)
    counts = [(length_in_characters if spaceless else length_in_words)(line) + 1 for line in lines]
    rule = f"words:{'characters' if spaceless else 'spaces'}+eos"
    return _score("word_perplexity", "perplexity per word", lines, likelihoods, counts, rule, conditions)


def _score(
    name: str,
    label: str,
    lines: Sequence[str],
    likelihoods: Sequence[Likelihood],
    counts: Sequence[int],
    rule: str,
    conditions: Conditions,
) -> Score:
    if not lines:
        raise InputError("what is scored must have at least one line, but is empty. Give a file with text in it.")
    assert len(lines) == len(likelihoods)
    statistics = np.array(
        [(likelihood.negative_log_likelihood, count) for likelihood, count in zip(likelihoods, counts, strict=True)]
    )
    resampling = f"|bs:{conditions.resamples}|seed:{SEED}" if conditions.resamples > 1 else ""
    return Score(
        metric=name,
        label=label,
        value=_per_unit(statistics.sum(axis=0)),
        higher_is_better=False,
        examples=len(lines),
        signature=f"{rule}|unsmoothed{resampling}|saccade:{__version__}",
        interval=bootstrap_interval(statistics, _per_unit, conditions.resamples),
    )


def _per_unit(sums: Float[np.ndarray, " quantities"]) -> float:
    return _exponential(float(sums[0] / sums[1]))


def _exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
