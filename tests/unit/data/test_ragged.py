import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.ragged import Ragged, bounds

LISTS = st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=5), max_size=7)


@given(LISTS)
def test_rows_come_back_as_given(lists):
    rows = Ragged.of(lists)
    assert list(rows) == lists
    assert len(rows) == len(lists)
    assert rows.lengths.tolist() == [len(row) for row in lists]


@given(LISTS, st.randoms())
def test_selecting_keeps_the_chosen_rows_in_order(lists, random):
    kept = [random.random() < 0.5 for _ in lists]
    selected = Ragged.of(lists).select(np.array(kept, bool))
    assert list(selected) == [row for row, keep in zip(lists, kept, strict=True) if keep]


def test_rows_are_equal_when_cut_alike():
    assert Ragged.of([[2, 3], [5]]) == Ragged.of([[2, 3], [5]])
    assert Ragged.of([[2, 3], [5]]) != Ragged.of([[2], [3, 5]])
    assert Ragged.of([[2, 3], [5]]) != Ragged.of([[2, 3], [7]])


def test_bounds_are_one_more_than_parts():
    assert bounds(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
