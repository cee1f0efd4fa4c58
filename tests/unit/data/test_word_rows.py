import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.word_rows import WordCounts, WordRows

TEXTS = st.lists(st.text(alphabet="ab\u00e9\u6211\x00\ud800 \t\n\x85\u2028\u3000", max_size=12), max_size=9)


def texts_of(rows: WordRows) -> list[list[str]]:
    return [[rows.words[number] for number in row] for row in rows.numbers]


@given(TEXTS)
def test_rows_are_the_words_of_each_text(texts):
    rows = WordRows.of(texts)
    assert texts_of(rows) == [text.split() for text in texts]
    assert rows.words == list(dict.fromkeys(word for text in texts for word in text.split()))


@given(TEXTS)
def test_bytes_are_read_back(texts):
    rows = WordRows.of(texts)
    file = io.BytesIO(rows.to_bytes() + b"what follows")
    again = WordRows.read(file)
    assert (again.words, again.numbers) == (rows.words, rows.numbers)
    assert file.read() == b"what follows"


@pytest.mark.parametrize("words", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1])
def test_numbers_of_any_size_are_read_back(words):
    rows = WordRows.of([" ".join(map(str, range(words)))])
    assert WordRows.read(io.BytesIO(rows.to_bytes())).numbers == rows.numbers


@given(st.lists(TEXTS, max_size=4), st.data())
def test_counts_are_those_of_the_chosen_texts(chunks, data):
    counts, expected = WordCounts(), Counter[str]()
    for texts in chunks:
        chosen = data.draw(st.lists(st.sampled_from(range(len(texts))), unique=True) if texts else st.just([]))
        counts.add(WordRows.of(texts), np.array(chosen, np.int64))
        expected.update(word for row in chosen for word in texts[row].split())
    assert dict(counts.counted()) == expected  # and no word with 0: a corpus has more words than its sample
