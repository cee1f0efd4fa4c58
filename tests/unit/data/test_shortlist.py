import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.shortlist import Shortlist, learn_shortlist
from saccade.errors import FormatError, InputError
from saccade.special_tokens import EOS, UNK

SOURCES, TARGETS = 41, 53


def corpus(seed: int = 3, count: int = 400) -> list[tuple[list[int], list[int]]]:
    """Source piece s is always translated as s + 7, in another order, among one piece that means nothing."""
    generator = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        source = generator.integers(4, SOURCES, size=generator.integers(2, 7)).tolist()
        pairs.append((source, [*(piece + 7 for piece in reversed(source)), 51]))
    return pairs


def test_a_dictionary_is_learned():
    learned = learn_shortlist(corpus(), SOURCES, TARGETS, copies=False, each=1, always=1)
    assert [learned.of_piece(piece) for piece in range(4, SOURCES)] == [[piece + 7] for piece in range(4, SOURCES)]


def test_frequent_pieces_and_the_end_are_always_there():
    learned = learn_shortlist(corpus(), SOURCES, TARGETS, copies=False, each=1, always=1)
    assert learned.always.tolist() == [EOS, UNK, 51]


def test_copies_belong_to_their_own_list():
    learned = learn_shortlist(corpus(), SOURCES, TARGETS, copies=True, each=1, always=1)
    assert learned.of_piece(23) == [23, 30]


def test_a_sentence_has_the_lists_of_its_pieces():
    learned = learn_shortlist(corpus(), SOURCES, TARGETS, copies=False, each=1, always=1)
    assert learned.of([11, 29, 11]) == [EOS, UNK, 18, 36, 51]


def test_coverage_counts_what_is_needed():
    learned = learn_shortlist(corpus(), SOURCES, TARGETS, copies=False, each=1, always=1)
    assert learned.coverage([([11, 29], [18, 36, 51, 40]), ([5], [12])]) == (4 / 5, 4.5)


def test_no_more_links_are_read_than_asked_for():
    seen = []

    def watched():
        for pair in corpus():
            seen.append(pair)
            yield pair

    learn_shortlist(watched(), SOURCES, TARGETS, copies=False, links=100)
    assert 2 <= len(seen) < 40


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(InputError, match="at least one word"):
        learn_shortlist([([], []), ([5], [])], SOURCES, TARGETS, copies=False)


@given(
    st.lists(st.tuples(*(st.lists(st.integers(4, size - 1), max_size=5) for size in (SOURCES, TARGETS))), max_size=9)
)
def test_every_list_stays_within_its_bounds(pairs):
    if not any(target for _, target in pairs):
        return
    learned = learn_shortlist(pairs, SOURCES, TARGETS, copies=False, each=3, always=5)
    assert len(learned.always) <= 7
    for piece in range(SOURCES):
        called = learned.of_piece(piece)
        assert len(called) <= 3
        assert called == sorted(set(called) - set(learned.always.tolist()))
        met = {token for source, target in pairs if piece in source for token in target}
        assert set(called) <= met


@pytest.mark.parametrize("vocabulary", [TARGETS, 70_001])
def test_saving_and_loading_is_identity(vocabulary, tmp_path):
    learned = learn_shortlist([*corpus(), ([5], [vocabulary - 1])], SOURCES, vocabulary, copies=True)
    learned.save(tmp_path / "shortlist")
    loaded = Shortlist.load(tmp_path / "shortlist", SOURCES, vocabulary)
    for name in ("always", "offsets", "tokens"):
        assert np.array_equal(getattr(loaded, name), getattr(learned, name))


@pytest.mark.parametrize("sizes", [(SOURCES + 1, TARGETS), (SOURCES, 50)])
def test_a_shortlist_of_other_vocabularies_is_refused(sizes, tmp_path):
    learn_shortlist(corpus(), SOURCES, TARGETS, copies=False).save(tmp_path / "shortlist")
    with pytest.raises(FormatError, match="must be for the vocabularies of this model"):
        Shortlist.load(tmp_path / "shortlist", *sizes)


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "shortlist").write_bytes(b"no safetensors")
    with pytest.raises(FormatError, match="must hold a shortlist"):
        Shortlist.load(tmp_path / "shortlist", SOURCES, TARGETS)
