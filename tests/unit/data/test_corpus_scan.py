import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.corpus_scan import HeldOut, scan_corpus

PAIRS = st.lists(st.tuples(st.text("abc ", max_size=3), st.text("xyz", max_size=2)), max_size=80)


@given(pairs=PAIRS, sources=st.integers(1, 7), shuffle=st.randoms())
def test_the_same_sources_are_held_out_in_any_order(pairs, sources, shuffle):
    found = scan_corpus(pairs, sample_pairs=1000, held_out_sources=sources, seed=1)
    mixed = list(pairs)
    shuffle.shuffle(mixed)
    assert scan_corpus(mixed, sample_pairs=1000, held_out_sources=sources, seed=1).held_out == found.held_out


@given(pairs=PAIRS, sources=st.integers(1, 7))
def test_no_held_out_source_is_in_the_sample(pairs, sources):
    found = scan_corpus(pairs, sample_pairs=1000, held_out_sources=sources, seed=1)
    assert found.pairs == len(pairs)
    distinct = {" ".join(source.split()) for source, _ in pairs}
    held_out = {" ".join(source.split()) for source, _ in pairs if source in found.held_out}
    assert not held_out & {" ".join(source.split()) for source, _ in found.sample}
    assert len(held_out) == (min(sources, max(1, len(distinct) // 20)) if pairs else 0)


def test_as_many_sources_as_wanted_are_held_out_of_a_large_corpus():
    pairs = [(f"source {number}", "target") for number in range(1009)]
    found = scan_corpus(pairs * 2, sample_pairs=10**6, held_out_sources=31, seed=1)
    assert sum(source in found.held_out for source, _ in pairs) == 31
    assert len(found.sample) == 2 * (1009 - 31)


def test_a_small_corpus_gives_a_twentieth():
    pairs = [(f"source {number}", "target") for number in range(101)]
    found = scan_corpus(pairs, sample_pairs=10**6, held_out_sources=2000, seed=1)
    assert sum(source in found.held_out for source, _ in pairs) == 5


@pytest.mark.parametrize(("distinct", "held_out"), [(1, 1), (41, 2), (409, 20), (40_009, 2000)])
def test_a_twentieth_is_that_of_the_sources_however_often_they_are_repeated(distinct, held_out):
    pairs = [(f"source {number}", "target") for number in range(distinct)] * 3
    found = scan_corpus(pairs, sample_pairs=10**6, held_out_sources=2000, seed=1)
    assert found.pairs == 3 * distinct
    assert sum(source in found.held_out for source, _ in pairs) == 3 * held_out
    assert len(found.sample) == 3 * (distinct - held_out)


def test_nothing_is_held_out_unless_asked():
    found = scan_corpus([("a", "b")] * 7, sample_pairs=3, held_out_sources=0, seed=1)
    assert found.held_out == HeldOut()
    assert "a" not in found.held_out
    assert len(found.sample) == 3


def test_the_sample_is_uniform():
    counts = [0] * 10
    for seed in range(400):
        pairs = [(str(number), "") for number in range(10)]
        for source, _ in scan_corpus(pairs, sample_pairs=5, held_out_sources=0, seed=seed).sample:
            counts[int(source)] += 1
    # 2000 draws over 10 places: 200 each, with a standard deviation of 10.
    assert all(150 < count < 250 for count in counts)


def test_text_alone_is_held_out_by_its_lines():
    pairs = [("", f"line {number}") for number in range(101)]
    found = scan_corpus(pairs, sample_pairs=10**6, held_out_sources=2000, seed=1, side=1)
    assert sum(line in found.held_out for _, line in pairs) == 5
    assert len(found.sample) == 96
