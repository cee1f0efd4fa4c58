"""When a parser's F1 is at least the bar, by the rule of `bench.parsing_seeds`."""

import pytest
from bench.parsing_seeds import BAR, verdict


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ((1.9, 2.0, 2.1), "holds"),
        ((-1.9, -2.0, -2.1), "does not hold"),
        ((1.0, 2.0, 3.0), "holds"),  # 3.5 standard errors
        ((0.0, 2.0, 4.0), "undecided"),  # 1.7 of them
        ((5.0,), "undecided"),
        ((0.5, 0.5, 0.5), "holds"),
        ((0.0, 0.0, 0.0), "holds"),
    ],
)
def test_the_mean_of_all_seeds_must_be_at_the_bar_by_three_standard_errors(above, said):
    assert verdict([BAR + each for each in above]).split(" (")[0] == said
