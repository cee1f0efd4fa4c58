import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import InputError
from saccade.evaluation.alignment_error import alignment_error, read_links

links = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, unique=True)


def test_sure_and_possible_links_by_hand():
    found = [{(0, 0), (1, 1), (2, 2)}]
    sure, possible = [{(0, 0), (3, 3)}], [{(0, 0), (3, 3), (1, 1)}]
    rates = alignment_error(found, sure, possible)
    assert rates.precision == pytest.approx(2 / 3)  # (0, 0) and (1, 1) are possible
    assert rates.recall == pytest.approx(1 / 2)  # (0, 0) of two sure ones
    assert rates.error_rate == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_links_are_counted_over_the_corpus_and_not_averaged_over_sentences():
    rates = alignment_error([[(0, 0)], [(0, 1), (1, 0), (2, 2)]], [[(0, 0)], [(0, 0), (1, 1), (2, 2)]])
    assert rates.error_rate == pytest.approx(1 - 2 / 4)
    assert rates.sentences == 2


def test_without_any_predicted_link_precision_and_recall_are_zero():
    rates = alignment_error([[]], [[(0, 0)]])
    assert (rates.error_rate, rates.precision, rates.recall) == (1, 0, 0)


def test_without_any_sure_link_recall_is_zero():
    rates = alignment_error([[(0, 0)]], [[]], [[(0, 0)]])
    assert (rates.error_rate, rates.precision, rates.recall) == (0, 1, 0)


def test_a_sure_link_is_always_possible():
    assert alignment_error([[(0, 0)]], [[(0, 0)]], [[(1, 1)]]).error_rate == 0


@given(st.lists(links, min_size=1))
def test_the_right_alignment_has_no_error(right):
    assert alignment_error(right, right).error_rate == 0


@given(st.lists(links, min_size=1))
def test_no_link_in_common_is_all_wrong(right):
    moved = [[(source + 7, target) for source, target in sentence] for sentence in right]
    assert alignment_error(moved, right).error_rate == 1


@given(st.lists(st.tuples(links, links), min_size=1))
def test_without_doubt_the_error_is_one_minus_f1(pairs):
    rates = alignment_error([found for found, _ in pairs], [right for _, right in pairs])
    both = rates.precision + rates.recall
    f1 = 2 * rates.precision * rates.recall / both if both else 0.0
    assert rates.error_rate == pytest.approx(1 - f1)


def test_links_are_read_as_alignment_tools_write_them():
    assert read_links("0-0 2-11 3-1") == ((0, 0), (2, 11), (3, 1))
    assert read_links("") == ()


@pytest.mark.parametrize("line", ["0", "0-", "a-b", "0-0 1_1", "0-²", "٣-0", "-1-0", f"0-{5000 * '9'}"])
def test_what_is_no_link_is_refused(line):
    with pytest.raises(InputError, match="0-0 2-1"):
        read_links(line)


def test_alignments_of_other_sentences_are_refused():
    with pytest.raises(InputError, match="same sentences"):
        alignment_error([[(0, 0)]], [])


def test_nothing_at_all_is_refused():
    with pytest.raises(InputError, match="at least one link"):
        alignment_error([[]], [[]])
