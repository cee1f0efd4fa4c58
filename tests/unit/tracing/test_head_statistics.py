import math
from fractions import Fraction

import pytest
import torch

from saccade.tracing.head_statistics import statistics

EVEN = torch.full((1, 3, 4), 0.25, dtype=torch.float64)
ONE = torch.zeros(1, 3, 4, dtype=torch.float64)
ONE[0, [0, 1, 2], [0, 1, 3]] = 1.0


def test_entropy_is_that_of_even_rows_and_nothing_for_certain_ones():
    assert statistics(EVEN, [False] * 4)["entropy"] == pytest.approx([math.log(4)])
    assert statistics(ONE, [False] * 4)["entropy"] == [0.0]


def test_distance_is_in_positions():
    assert statistics(ONE, [False] * 4)["distance"] == pytest.approx([1 / 3])


def test_what_lies_on_special_tokens_is_counted():
    assert statistics(ONE, [False, False, False, True])["special"] == pytest.approx([1 / 3])


def test_the_diagonal_leads_from_corner_to_corner():
    """Three rows and four columns: the line passes 0, 1.5 and 3."""
    assert statistics(ONE, [False] * 4)["diagonal"] == pytest.approx([1.0])
    assert statistics(ONE.flip(-1), [False] * 4)["diagonal"] == pytest.approx([1 / 3])


def test_one_row_has_no_slope():
    assert statistics(EVEN[:, :1], [False] * 4)["diagonal"] == pytest.approx([0.5])


def test_what_is_exactly_one_place_from_the_diagonal_lies_on_it():
    """Rounding must not decide: with 49 rows and 23 columns the line passes whole columns and halves between."""
    rows, columns = 49, 23
    near = sum(
        abs(column - row * Fraction(columns - 1, rows - 1)) <= 1 for row in range(rows) for column in range(columns)
    )
    even = torch.full((1, rows, columns), 1 / columns, dtype=torch.float64)
    assert statistics(even, [False] * columns)["diagonal"] == pytest.approx([near / rows / columns])
