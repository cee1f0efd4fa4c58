import math

import pytest

from saccade.errors import InputError
from saccade.evaluation.perplexity import Likelihood


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
