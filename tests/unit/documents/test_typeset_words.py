"""Ligatures are letters, and soft hyphens nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.documents.typeset_words import spelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The \ufb01nal o\ufb03ce is \ufb02at.", "The final office is flat."),
        ("Hyphen\u00ada\u00adtion \u00ad here\u00ad.", "Hyphenation \u00ad here\u00ad."),
        ("ﾊﾝ １２ ½ é", "ﾊﾝ １２ ½ é"),
    ],
)
def test_words_are_read_as_they_are_spelled(text, expected):
    assert spelled(text) == expected


@given(st.text(st.sampled_from("a\u00ad\ufb01 .\u0301"), max_size=20))
def test_no_word_is_lost(text):
    assert len(spelled(text).split()) == len(text.split())
