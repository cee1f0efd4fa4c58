import pytest
from bench.improving.corpora import spread
from bench.improving.verdicts import Question, report, verdict


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        ([1.0, 1.1, 0.9], "holds"),
        ([-1.0, -1.1, -0.9], "does not hold"),
        ([0.2, 0.21, 0.19], "undecided"),  # certain, and less than counts
        ([2.0, 0.1, 1.0], "undecided"),  # 1.03, but three standard errors are 1.65
        ([5.0], "undecided"),
    ],
)
def test_the_rule(differences, said):
    assert verdict(differences)[2] == said


def test_arms_are_compared_seed_by_seed():
    scores = {"new": {"test": {"1": 31.0, "2": 21.1}}, "old": {"test": {"1": 30.0, "2": 20.0, "3": 1.0}}}
    text = report(scores, [Question("new", "old", "test"), Question("new", "other", "test")])
    assert "new better than old on test: holds (+1.05 BLEU, standard error 0.05, 2 seeds)" in text
    assert "new better than other on test: not run" in text
    assert "| new | 26.05 ± 7.00 |" in text


def test_a_part_is_taken_evenly():
    assert spread(range(10), 4) == [0, 2, 5, 7]
    assert spread(range(3), 4) == [0, 1, 2]
