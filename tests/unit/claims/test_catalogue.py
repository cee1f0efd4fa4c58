from datetime import datetime

import pytest

from saccade.claims.catalogue import CLAIMS, find
from saccade.claims.claim import CHAPTERS, Measured, Verdict
from saccade.claims.results import measure
from saccade.errors import InputError

FIRST = (
    "A1",
    "A2",
    "A3",
    "A14",
    "A21",
    "A22",
    "A45",
    "T2",
    "T11",
    "T15",
    "T26",
    "C1",
    "C3",
    "R1",
    "R6",
    "R7",
)
FIRST += ("R8", "R13", "W1", "W2", "W3", "W4", "W5", "W6")
"""What needs no training, or next to none."""

ALSO_QUICK = ("C4", "R9", "T14", "T17", "T18")

LONG = ("C4", "T17", "R6", "R7", "R9", "R13", "T2", "T15", "W4")
"""What takes a second or more all the same."""

OF_SEVERAL_SEEDS = ("A13", "R3")
"""What is over in a moment, but compares seeds: one of them decides nothing."""

TIMED = ("T5",)
"""Claims whose verdict also depends on the clock: nothing here asserts a duration."""


@pytest.mark.parametrize(
    "id_", [pytest.param(id_, marks=[pytest.mark.slow] * (id_ in LONG)) for id_ in (*FIRST, *ALSO_QUICK)]
)
def test_the_experiment_says_what_was_expected(id_):
    result = measure(CLAIMS[id_], datetime(2026, 11, 15), lambda _: None, seeds=1)
    assert result.verdict == CLAIMS[id_].expected, result.because
    assert result.because.endswith(".")


@pytest.mark.parametrize("id_", OF_SEVERAL_SEEDS)
def test_all_its_seeds_together_say_what_was_expected(id_):
    result = measure(CLAIMS[id_], datetime(2026, 11, 15), lambda _: None)
    assert result.verdict == CLAIMS[id_].expected, result.because


@pytest.mark.parametrize("id_", TIMED)
def test_a_claim_about_time_holds_at_least_in_what_can_be_counted(id_):
    result = measure(CLAIMS[id_], datetime(2026, 11, 15), lambda _: None, seeds=1)
    assert result.verdict in (Verdict.HOLDS, Verdict.CAVEAT), result.because


def test_claims_stand_by_chapter_and_number():
    assert list(CLAIMS)[:4] == ["R1", "R2", "R3", "R4"]
    letters = [id_[0] for id_ in CLAIMS]
    assert [letter for letter in CHAPTERS if letter in letters] == list(dict.fromkeys(letters))


def test_every_claim_says_what_it_must():
    for claim in CLAIMS.values():
        for text in (claim.title, claim.said, claim.claim, claim.rule):
            assert text.strip()
            assert "  " not in text
        assert claim.claim.endswith(".")
        assert claim.rule.endswith(".")
        assert claim.seeds in (1, 3, 5, 12)


def test_ids_are_found_in_any_case():
    assert [claim.id for claim in find(["a14", "R1"])] == ["A14", "R1"]


def test_an_id_that_asks_the_same_as_another_leads_to_it():
    assert [claim.id for claim in find(["h6"])] == ["T40"]
    assert "H6" not in CLAIMS


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(InputError, match="but is 'r155'. Did you mean 'R15'?"):
        find(["R1", "r155"])


def test_findings_can_be_asked_for_one_number_a_curve_or_an_extreme():
    measured = Measured(
        (0, 1), ({"x": 1.0, "y": [1.0, 2.0], "z": [[3.0], [5.0]]}, {"x": 2.0, "y": [3.0, 7.0], "z": [[9.0]]})
    )
    assert measured.each("x") == [1.0, 2.0]
    assert measured.mean("x") == 1.5
    assert measured.curve("y") == [2.0, 4.5]
    assert measured.curves("y") == [[1.0, 2.0], [3.0, 7.0]]
    assert measured.matrix("z") == [[3.0], [5.0]]
    assert (measured.smallest("y"), measured.largest("z")) == (1.0, 9.0)
