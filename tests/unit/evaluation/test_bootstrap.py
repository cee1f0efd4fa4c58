import numpy as np
import pytest

from saccade.evaluation.bootstrap import bootstrap_interval
from saccade.evaluation.metric_score import percentage


def test_examples_that_are_all_alike_leave_no_doubt():
    interval = bootstrap_interval(np.array([[1.0, 4.0]] * 7), percentage, resamples=31)
    assert interval is not None
    assert (interval.low, interval.high) == (25.0, 25.0)


def test_interval_of_a_proportion_is_that_of_the_normal_approximation():
    right = np.zeros((1009, 2))
    right[:401, 0] = 1
    right[:, 1] = 1
    share = 401 / 1009
    half_width = 100 * 1.96 * np.sqrt(share * (1 - share) / 1009)
    interval = bootstrap_interval(right, percentage, resamples=2003)
    assert interval is not None
    assert interval.low == pytest.approx(100 * share - half_width, abs=0.25)
    assert interval.high == pytest.approx(100 * share + half_width, abs=0.1)


def test_the_interval_leaves_a_fortieth_of_the_scores_on_each_side():
    scores = iter(range(1001))
    interval = bootstrap_interval(np.ones((3, 2)), lambda _: float(next(scores)), resamples=1001)
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(25.0), pytest.approx(975.0))


def test_two_resamples_are_enough():
    assert bootstrap_interval(np.ones((3, 2)), percentage, resamples=2) is not None


def test_interval_is_the_same_every_time():
    statistics = np.random.default_rng(5).random((11, 2))
    assert bootstrap_interval(statistics, percentage, 101) == bootstrap_interval(statistics, percentage, 101)


@pytest.mark.parametrize("resamples", [0, 1])
def test_without_resamples_there_is_no_interval(resamples):
    assert bootstrap_interval(np.ones((3, 2)), percentage, resamples) is None
