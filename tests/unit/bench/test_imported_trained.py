"""The rule of `bench.imported_trained`: what holds, and what does not."""

import pytest
from bench.imported_trained import joined_pairs, verdict, widest_tie


def result(low=9.0, high=10.0, gaps=(), rounding=(1e-3, -1e-3)):
    return {"speed_up": {"low": low, "high": high}, "ours_less_theirs": list(gaps), "rounding": list(rounding)}


def test_a_tie_is_three_times_what_rounding_does_to_a_difference():
    assert widest_tie([result(), result()]) == pytest.approx(3 * 2**0.5 * 1e-3)


def test_it_holds_where_every_output_is_the_same_or_a_tie():
    assert verdict([result(), result(gaps=[4e-3, -4e-3])]) == "holds"


@pytest.mark.parametrize("gap", [5e-3, -5e-3])
def test_one_output_that_is_neither_decides(gap):
    assert verdict([result(), result(gaps=[0.0, gap])]) == "does not hold"


@pytest.mark.parametrize(("low", "high", "said"), [(7, 7.9, "does not hold"), (7, 9, "undecided"), (8, 9, "holds")])
def test_the_speed_up_must_be_eight_by_three_standard_errors_at_every_size(low, high, said):
    assert verdict([result(), result(low, high)]) == said


def test_lines_are_three_sentences_of_the_test_set(corpora):
    pairs = joined_pairs("test")
    assert len(pairs) >= 512
    assert all(source.count(" ") >= 2 and target for source, target in pairs)
