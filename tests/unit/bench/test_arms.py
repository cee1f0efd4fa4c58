import pytest
from bench.lineage.arms import Figures


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ((1.00, 1.10, 1.20), "holds"),
        ((3.00, 3.10, 3.20), "does not hold"),
        ((1.00, 2.50, 1.20), "undecided"),  # further than the least difference, but not than three standard errors
        ((1.995, 2.095, 2.195), "undecided"),  # the same with every seed, and less than counts
        ((1.00,), "undecided"),  # one seed has no spread
    ],
)
def test_an_arm_is_lower_by_three_standard_errors_and_by_what_counts(one, said):
    figures = Figures("nats", {"one": one, "other": (2.00, 2.10, 2.21)[: len(one)]})
    assert f": {said} (" in figures.lower("one", "other")


@pytest.mark.parametrize(
    ("one", "said"),
    [((2.01, 2.11, 2.20), "holds"), ((2.40, 2.50, 2.60), "does not hold"), ((1.90, 2.20, 2.20), "undecided")],
)
def test_arms_are_level_if_three_standard_errors_more_would_still_be_near(one, said):
    figures = Figures("nats", {"one": one, "other": (2.00, 2.10, 2.21)})
    assert f": {said} (" in figures.level("one", "other", 0.1)
