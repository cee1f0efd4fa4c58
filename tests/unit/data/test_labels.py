from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.labels import FEW, Labels
from saccade.data.parallel_text import as_label
from saccade.errors import InputError
from saccade.special_tokens import UNK

NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2581"), min_size=1, max_size=9)
LABEL = NAME.map(as_label).filter(bool)


def seen(*labels: str) -> Labels:
    found = Labels()
    assert [pair for pair in found.watching(("text", label) for label in labels)] == [("text", one) for one in labels]
    return found


@settings(max_examples=30, deadline=None)
@given(st.lists(LABEL, min_size=2, max_size=7))
def test_every_label_is_one_piece_and_comes_back(labels):
    tokenizer = seen(*labels).tokenizer()
    for label in labels:
        [tokens] = tokenizer.encode([label])
        assert len(tokens) == 1
        assert tokenizer.decode(tokens) == tokenizer.normalise(label)


def test_there_is_a_piece_for_each_label_and_for_nothing_else():
    tokenizer = seen("de", "en", "de", "very_good").tokenizer()
    assert tokenizer.size == 4 + 3
    assert tokenizer.encode(["fr"]) == [[UNK]]


def test_a_label_seen_once_among_many_has_its_piece():
    tokenizer = seen(*["common"] * 5000, "rare").tokenizer()
    assert tokenizer.encode(["rare"]) != [[UNK]]


def test_one_label_alone_is_refused():
    with pytest.raises(InputError, match="at least two different labels, but every line has 'de'"):
        seen("de", "de", "de").check(Path("labels.txt"))


def test_labels_that_hardly_repeat_are_refused():
    seen(*map(str, range(FEW))).check(Path("labels.txt"))
    with pytest.raises(InputError, match="must repeat its labels"):
        seen(*map(str, range(FEW + 1))).check(Path("labels.txt"))


def test_a_label_that_never_occurred_is_refused_with_its_line():
    with pytest.raises(InputError, match=r"`valid:7` must have a label .* \(de, en\), but has 'fr'"):
        seen("de", "en", "de").check_known([(3, "a", "en"), (7, "b", "fr")], Path("valid"))
