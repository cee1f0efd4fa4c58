"""Differences and their standard errors, on numbers whose answer is known by hand."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.claims.claim import Measured, Verdict
from saccade.claims.measuring.comparison import (
    above,
    clearly,
    every,
    more_than,
    most,
    opposite,
    some,
    stated,
    verdict,
    verdict_of_several,
)

numbers = st.lists(st.floats(-5, 5), min_size=2, max_size=7)


@pytest.mark.parametrize(("margin", "answer"), [(0.065, True), (0.066, None), (0.134, None), (0.135, False)])
def test_three_standard_errors_decide(margin, answer):
    """Mean 0.1, standard deviation 0.02, so that three standard errors are 0.0346."""
    assert more_than([0.08, 0.10, 0.12], margin) is answer


def test_one_seed_says_nothing():
    assert more_than([0.9], 0.1) is None


def test_what_the_two_of_a_seed_have_in_common_is_taken_out():
    """Far apart from seed to seed, but always 0.1 from each other."""
    measured = Measured((0, 1, 2), tuple({"a": x + 0.1, "b": x} for x in (0.0, 5.0, 9.0)))
    assert clearly(measured, "a", over="b", by=0.09)
    assert above(measured, "a", 0.09) is None


@settings(max_examples=60, deadline=None)
@given(numbers, st.floats(-5, 5))
def test_a_higher_margin_is_never_easier_to_exceed(values, margin):
    ranks = {True: 2, None: 1, False: 0}
    assert ranks[more_than(values, margin)] >= ranks[more_than(values, margin + 0.5)]


@settings(max_examples=60, deadline=None)
@given(numbers, st.floats(0.001, 1))
def test_of_two_things_one_at_most_is_clearly_more(values, margin):
    assert not (more_than(values, margin) and more_than([-value for value in values], margin))


@pytest.mark.parametrize(
    ("required", "wanted", "expected"),
    [
        ([True, True], [True], Verdict.HOLDS),
        ([True], [None], Verdict.CAVEAT),
        ([True, None], [True], Verdict.UNDECIDED),
        ([None, False], [], Verdict.FAILS),
    ],
)
def test_the_verdict_of_several_answers(required, wanted, expected):
    assert verdict(required, wanted) == expected


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([True, True], Verdict.HOLDS),
        ([True, False], Verdict.CAVEAT),
        ([False, False], Verdict.FAILS),
        ([True, None], Verdict.UNDECIDED),
        ([None, False], Verdict.UNDECIDED),
        ([None, None], Verdict.UNDECIDED),
        ([True, False, None], Verdict.CAVEAT),
    ],
)
def test_the_same_question_in_several_cases_is_undecided_only_where_the_unknown_ones_matter(cases, expected):
    assert verdict_of_several(cases) == expected


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=5))
def test_several_cases_are_decided_if_every_completion_has_one_verdict(cases):
    choices = [[True, False] if case is None else [case] for case in cases]
    verdicts = {verdict_of_several(completion) for completion in product(*choices)}
    assert verdict_of_several(cases) == (verdicts.pop() if len(verdicts) == 1 else Verdict.UNDECIDED)


def test_the_opposite_question():
    assert [opposite(answer) for answer in (True, False, None)] == [False, True, None]


@pytest.mark.parametrize(
    ("answers", "one", "all_", "majority"),
    [
        ([True, True], True, True, True),
        ([True, True, None], True, None, True),
        ([True, True, False], True, False, True),
        ([True, True, None, None], True, None, None),
        ([True, None, False, False], True, False, False),
        ([None, False, False], None, False, False),
        ([False, False], False, False, False),
    ],
)
def test_one_case_at_least_all_cases_and_more_than_half(answers, one, all_, majority):
    assert some(answers) is one
    assert every(answers) is all_
    assert most(answers) is majority


def test_figures_are_stated_with_their_errors():
    measured = Measured((0, 1, 2), tuple({"a": x} for x in (0.08, 0.10, 0.12)))
    assert stated(measured, ["a"]) == "a 0.100 ± 0.012"
