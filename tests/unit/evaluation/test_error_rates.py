import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import InputError
from saccade.evaluation.error_rates import edit_distance, phoneme_error_rate, phoneme_errors, word_error_rate
from saccade.evaluation.examples import Example, source_by_source
from saccade.evaluation.metric_score import MetricOptions

PHONES = st.lists(st.sampled_from(["AH", "B", "K"]), max_size=5)


def slowest_edit_distance(hypothesis, reference):
    if not hypothesis or not reference:
        return len(hypothesis) + len(reference)
    return min(
        slowest_edit_distance(hypothesis[1:], reference) + 1,
        slowest_edit_distance(hypothesis, reference[1:]) + 1,
        slowest_edit_distance(hypothesis[1:], reference[1:]) + (hypothesis[0] != reference[0]),
    )


@given(PHONES, PHONES)
def test_edit_distance_equals_the_recursion_that_defines_it(hypothesis, reference):
    assert edit_distance(hypothesis, reference) == slowest_edit_distance(hypothesis, reference)


def test_edit_distance_of_a_known_pair():
    assert edit_distance("kitten", "sitting") == 3


def test_the_nearest_reference_counts():
    assert phoneme_errors(Example("X", "B AH K", ("K K K K K", "B AH B", "AH"))) == (1, 3)


def test_of_equally_near_references_the_shortest_counts():
    assert phoneme_errors(Example("X", "B AH", ("B AH K", "B"))) == (1, 1)


def test_phoneme_error_rate_divides_summed_edits_by_summed_phones():
    examples = [Example("X", "B AH K", ("B AH B",)), Example("Y", "AH", ("AH K B K",))]
    assert phoneme_error_rate(examples, MetricOptions()).value == pytest.approx(100 * (1 + 3) / (3 + 4))


def test_a_word_is_right_if_it_matches_any_reference():
    examples = source_by_source(
        ["read", "read", "dog", "cat"],
        ["R EH D", "R EH D", "D AO", "K AE T"],
        ["R IY D", "R EH D", "D AO G", "K AE T"],
    )
    score = word_error_rate(examples, MetricOptions())
    assert score.examples == 3
    assert score.value == pytest.approx(100 / 3)
    assert not score.higher_is_better
    assert score.merit == -score.value


def test_white_space_does_not_make_a_word_wrong():
    assert word_error_rate([Example("a", " AH  B ", ("AH B",))], MetricOptions()).value == 0


def test_references_without_phones_are_refused():
    with pytest.raises(InputError, match="all empty"):
        phoneme_error_rate([Example("a", "AH", ("",))], MetricOptions())


def test_the_published_test_set_has_12000_words(corpora):
    lines = (corpora / "cmudict" / "g014b2b.test").read_text(encoding="utf-8").rstrip("\n").split("\n")
    words, phones = zip(*[line.split("\t") for line in lines], strict=True)
    score = word_error_rate(source_by_source(words, phones, phones), MetricOptions())
    assert len(lines) == 12_753
    assert score.examples == 12_000
    assert score.value == 0
