"""Perplexity, from the unsmoothed negative log-likelihood of the references."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from saccade import __version__
from saccade.errors import InputError
from saccade.evaluation.bleu import is_spaceless
from saccade.evaluation.bootstrap import bootstrap_interval
from saccade.evaluation.length_buckets import length_in_characters, length_in_words
from saccade.evaluation.metric_score import MetricOptions, MetricScore


@dataclass(frozen=True)
class Likelihood:
    """The summed negative log-likelihood, in nats and without label smoothing, of `tokens` target tokens, EOS included.

    Tokens are pieces of the model's vocabulary: perplexities of models with different vocabularies do not compare.
    """

    negative_log_likelihood: float
    tokens: int

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise InputError("perplexity must be of at least one token, but there is none. Give references with text.")

    @classmethod
    def of(cls, sentences: Iterable[Iterable[float]]) -> "Likelihood":
        """Sums the log-probabilities of each token of each sentence."""
        tokens = [log_probability for sentence in sentences for log_probability in sentence]
        return cls(-math.fsum(tokens), len(tokens))

    @classmethod
    def total(cls, parts: Sequence["Likelihood"]) -> "Likelihood":
        """The sum over all parts."""
        return cls(math.fsum(part.negative_log_likelihood for part in parts), sum(part.tokens for part in parts))

    @property
    def per_token(self) -> float:
        """The cross-entropy per token, without label smoothing."""
        return self.negative_log_likelihood / self.tokens

    @property
    def perplexity(self) -> float:
        """exp(-(1/T) sum_t log p(y_t | y_<t, x)), over all tokens of the corpus; infinite on overflow."""
        return _exponential(self.per_token)


def perplexity(lines: Sequence[str], likelihoods: Sequence[Likelihood], options: MetricOptions) -> MetricScore:
    """Perplexity per token: exp(N / T), N the negative log-likelihood of all lines and T their tokens, EOS included."""
    counts = [likelihood.tokens for likelihood in likelihoods]
    return _score("perplexity", "perplexity per token", lines, likelihoods, counts, "tokens:pieces+eos", options)


def word_perplexity(lines: Sequence[str], likelihoods: Sequence[Likelihood], options: MetricOptions) -> MetricScore:
    """Perplexity per word: exp(N / W), where W counts words separated by spaces and each end of line as one more.

    The probability of a line does not depend on how it is split into pieces, so models with different vocabularies
    compare. (With BPE and unigram a line can be split in several ways: the probability of one split is a lower bound,
    and this perplexity an upper one.) In a language written without spaces, characters take the place of words.
    """
    spaceless = is_spaceless(options.language)
    counts = [(length_in_characters if spaceless else length_in_words)(line) + 1 for line in lines]
    rule = f"words:{'characters' if spaceless else 'spaces'}+eos"
    return _score("word_perplexity", "perplexity per word", lines, likelihoods, counts, rule, options)


def _score(
    name: str,
    label: str,
    lines: Sequence[str],
    likelihoods: Sequence[Likelihood],
    counts: Sequence[int],
    rule: str,
    options: MetricOptions,
) -> MetricScore:
    if not lines:
        raise InputError("the text to score must have at least one line, but is empty. Give a file with text in it.")
    assert len(lines) == len(likelihoods)
    statistics = np.array(
        [(likelihood.negative_log_likelihood, count) for likelihood, count in zip(likelihoods, counts, strict=True)]
    )
    return MetricScore(
        metric=name,
        label=label,
        value=_per_unit(statistics.sum(axis=0)),
        higher_is_better=False,
        examples=len(lines),
        signature=f"{rule}|unsmoothed{options.bootstrap_signature}|saccade:{__version__}",
        interval=bootstrap_interval(statistics, _per_unit, options.resamples),
    )


def _per_unit(sums: Float[np.ndarray, " quantities"]) -> float:
    return _exponential(float(sums[0] / sums[1]))


def _exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
