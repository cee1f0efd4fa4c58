import math

import pytest

from saccade.errors import InputError
from saccade.evaluation.metric_score import MetricOptions
from saccade.evaluation.perplexity import Likelihood, perplexity, word_perplexity


def test_perplexity_of_a_uniform_guess_is_the_vocabulary_size():
    sentences = [[-math.log(37)] * length for length in (2, 3, 7)]
    likelihood = Likelihood.of(sentences)
    assert likelihood.tokens == 12
    assert likelihood.perplexity == pytest.approx(37)


def test_every_token_weighs_the_same_whatever_its_sentence():
    likelihood = Likelihood.of([[-1.0], [-3.0, -3.0, -5.0]])
    assert likelihood.per_token == 3.0
    assert likelihood.perplexity == pytest.approx(math.exp(3))


def test_a_perplexity_beyond_floats_is_infinite():
    assert Likelihood(1e6, 5).perplexity == math.inf


def test_no_tokens_have_no_perplexity():
    with pytest.raises(InputError, match="at least one token"):
        Likelihood.of([[], []])


LINES = ["two words", "and these are five words"]
LIKELIHOODS = [Likelihood(6.0, 7), Likelihood(15.0, 4)]


def test_perplexity_per_token_is_that_of_all_lines_together():
    score = perplexity(LINES, LIKELIHOODS, MetricOptions())
    assert score.value == pytest.approx(math.exp(21 / 11))
    assert score.value == pytest.approx(Likelihood.total(LIKELIHOODS).perplexity)
    assert score.merit < 0


def test_perplexity_per_word_counts_the_end_of_a_line_as_a_word():
    assert word_perplexity(LINES, LIKELIHOODS, MetricOptions()).value == pytest.approx(math.exp(21 / (3 + 6)))


def test_perplexity_per_word_does_not_depend_on_the_pieces():
    other = [Likelihood(6.0, 2), Likelihood(15.0, 31)]
    one = word_perplexity(LINES, LIKELIHOODS, MetricOptions(resamples=7))
    assert one == word_perplexity(LINES, other, MetricOptions(resamples=7))


def test_characters_are_counted_where_words_have_no_spaces():
    score = word_perplexity(["我们 去"], [Likelihood(8.0, 3)], MetricOptions("zh"))
    assert score.value == pytest.approx(math.exp(8 / 4))
    assert "characters" in score.signature


def test_an_interval_holds_the_score_and_is_a_point_where_all_lines_are_alike():
    score = perplexity(LINES * 11, LIKELIHOODS * 11, MetricOptions(resamples=100))
    assert score.interval.low < score.value < score.interval.high
    alike = perplexity(["a b"] * 5, [Likelihood(3.0, 2)] * 5, MetricOptions(resamples=7))
    assert alike.interval.low == alike.interval.high == pytest.approx(math.exp(1.5))


def test_no_lines_have_no_perplexity():
    with pytest.raises(InputError, match="at least one line"):
        perplexity([], [], MetricOptions())
