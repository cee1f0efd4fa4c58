from hypothesis import given
from hypothesis import strategies as st

from saccade.evaluation.length_buckets import FEWEST_EXAMPLES, length_buckets, length_in_characters, length_in_words

# A short list makes one bucket; it takes many lines to make several.
LENGTHS = st.one_of(
    st.lists(st.integers(0, 300), min_size=1, max_size=30), st.lists(st.integers(0, 40), min_size=80, max_size=200)
)


@given(LENGTHS)
def test_every_line_is_in_exactly_one_bucket(lengths):
    buckets = length_buckets(["w " * length for length in lengths], length_in_words)
    assert sorted(line for bucket in buckets for line in bucket.lines) == list(range(len(lengths)))


@given(LENGTHS)
def test_a_bucket_holds_only_the_lengths_it_names(lengths):
    for bucket in length_buckets(["w " * length for length in lengths], length_in_words):
        inside = [lengths[line] for line in bucket.lines]
        assert bucket.shortest <= min(inside)
        assert bucket.longest is None or max(inside) <= bucket.longest


@given(LENGTHS)
def test_buckets_adjoin_and_only_the_last_is_open(lengths):
    buckets = length_buckets(["w " * length for length in lengths], length_in_words)
    for one, following in zip(buckets, buckets[1:], strict=False):
        assert following.shortest == (one.longest or 0) + 1
    assert [bucket.longest is None for bucket in buckets] == [False] * (len(buckets) - 1) + [True]


@given(LENGTHS)
def test_no_bucket_is_too_small_to_score_unless_it_is_alone(lengths):
    buckets = length_buckets(["w " * length for length in lengths], length_in_words)
    assert len(buckets) == 1 or all(len(bucket.lines) >= FEWEST_EXAMPLES for bucket in buckets)


def test_bounds_of_evenly_spread_lengths():
    sources = ["w " * length for length in range(1, 31) for _ in range(11)]
    labels = [bucket.label for bucket in length_buckets(sources, length_in_words)]
    assert labels == ["1-5", "6-10", "11-15", "16-20", "21-25", "26+"]


def labels_of(lengths):
    return [bucket.label for bucket in length_buckets(["w " * length for length in lengths], length_in_words)]


def test_eight_closed_ranges_reach_the_length_of_nearly_all_sources():
    widths_of_two = [f"{first}-{first + 1}" for first in range(1, 15, 2)]
    assert labels_of([*range(1, 17)] * 11) == [*widths_of_two, "15+"]
    assert labels_of([*range(1, 18)] * 23) == ["1-5", "6-10", "11-15", "16+"]


def test_the_longest_twentieth_does_not_widen_the_ranges():
    short = sorted([*range(1, 17)] * 6)
    assert labels_of(short + [100] * 5) == [
        *(f"{first}-{first + 1}" for first in range(1, 15, 2)),
        "15+",
    ]
    assert labels_of(short[1:] + [100] * 6) == ["1+"]


def test_ten_sources_are_enough_for_a_range_of_their_own_and_nine_are_not():
    assert labels_of([1] * FEWEST_EXAMPLES + [2] * FEWEST_EXAMPLES) == ["1", "2+"]
    assert labels_of([1] * (FEWEST_EXAMPLES - 1) + [2] * FEWEST_EXAMPLES + [3] * 11) == ["1-2", "3+"]
    assert labels_of([1] * 11 + [2] * FEWEST_EXAMPLES + [3] * (FEWEST_EXAMPLES - 1)) == ["1", "2+"]


def test_an_empty_source_is_in_the_first_range():
    assert labels_of([0] * 11 + [1] * 11 + [2] * 11) == ["0-1", "2+"]


def test_a_single_length_is_its_own_bucket():
    sources = ["x" * length for length in (2, 3) for _ in range(23)]
    assert [bucket.label for bucket in length_buckets(sources, length_in_characters)] == ["1-2", "3+"]


def test_lengths():
    assert length_in_words(" ein  Hund ") == 2
    assert length_in_characters(" ein  Hund ") == 7
