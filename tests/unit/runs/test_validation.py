from hypothesis import given
from hypothesis import strategies as st

from saccade.runs.validation import spread

pairs = st.lists(st.tuples(st.sampled_from("abcdefghijklm"), st.text(max_size=3)), max_size=60)


@given(pairs, st.integers(1, 20))
def test_at_most_as_many_sources_as_asked_for_are_taken(lines, sources):
    assert len({source for source, _ in spread(lines, sources)}) <= sources


@given(pairs, st.integers(1, 20))
def test_a_source_comes_with_all_its_references(lines, sources):
    taken = spread(lines, sources)
    chosen = {source for source, _ in taken}
    assert taken == [pair for pair in lines if pair[0] in chosen]


@given(pairs)
def test_few_sources_are_all_taken(lines):
    assert spread(lines, 13) == lines


def test_what_is_taken_is_spread_over_a_sorted_corpus():
    lines = [(f"{number:03}", "x") for number in range(100)]
    assert [source for source, _ in spread(lines, 4)] == ["000", "025", "050", "075"]
