import pytest

from saccade.errors import InputError
from saccade.evaluation.examples import Example
from saccade.evaluation.forecast_error import scaled_error, seasonal_forecast, seasonal_scaled_error
from saccade.evaluation.metric_score import MetricOptions


def test_errors_are_shares_of_those_of_the_last_value():
    examples = [Example("5 7 4", "6 6", ("6 8",)), Example("1 2 3", "5", ("6 6",))]
    # |6-6| + |8-6| = 2 of 2 + 4; then |6-5| and, for the value that is missing, |6-3|: 4 of 6.
    assert scaled_error(examples, MetricOptions()).value == pytest.approx(100 * (2 + 4) / (6 + 6))


def test_what_is_no_number_counts_as_the_last_value():
    assert scaled_error([Example("1 4", "x 5 9", ("6 5",))], MetricOptions()).value == pytest.approx(100 * 2 / 3)


def test_the_seasonal_forecast_repeats_the_period_that_fits_best():
    source = [1, 5, 2, 9] * 3 + [1, 5]
    assert seasonal_forecast(source, 7) == [2, 9, 1, 5, 2, 9, 1]
    wave = Example(" ".join(map(str, source)), "", ("2 9 1",))
    assert seasonal_scaled_error([wave], MetricOptions()).value == 0.0


def test_a_line_that_is_no_series_is_refused():
    with pytest.raises(InputError, match="whole numbers separated by spaces, but is '1 two'"):
        scaled_error([Example("1 two", "3", ("4",))], MetricOptions())
