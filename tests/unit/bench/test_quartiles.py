import pytest
from bench.quartiles import Quartiles, ratios
from hypothesis import given
from hypothesis import strategies as st


def test_quartiles_of_five():
    assert Quartiles.of([50.0, 10.0, 40.0, 20.0, 30.0]) == Quartiles(30.0, 20.0, 40.0)


def test_one_value_has_no_spread():
    assert Quartiles.of([7.0]) == Quartiles(7.0, 7.0, 7.0)


@given(st.lists(st.floats(min_value=0.1, max_value=1e6), min_size=1))
def test_the_median_lies_between_the_quartiles(values):
    spread = Quartiles.of(values)
    assert min(values) <= spread.low <= spread.median <= spread.high <= max(values)


def test_a_ratio_is_taken_pair_by_pair():
    # The machine was ten times slower in the second round, for both.
    assert ratios([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == Quartiles(2.0, 2.0, 2.0)


def test_values_without_a_partner_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])
