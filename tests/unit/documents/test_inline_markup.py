"""Numbered tags are tags, and marks above the line are no part of the word that they stand behind."""

import pytest

from saccade.documents.inline_markup import inline_tokens
from saccade.documents.inline_text import Kind


def test_numbered_tags_come_in_pairs_as_others_do():
    tokens = inline_tokens("Press <0>here</0>, <1/> or <2>.")
    assert "".join(token.text for token in tokens) == "Press here,  or ."
    tags = [(token.kind, token.verbatim) for token in tokens if token.kind is not Kind.TEXT]
    assert tags == [
        (Kind.OPENING, "<0>"),
        (Kind.CLOSING, "</0>"),
        (Kind.SINGLE, "<1/>"),
        (Kind.SINGLE, "<2>"),
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("your hands<sup>1</sup> now", "your hands now"),
        ("changed<sup>2, 3</sup>, and 25 m<sup>2</sup>", "changed, and 25 m"),
        ("H<sub>2</sub>O, x<sup>2</sup>y", "H2O, x2y"),
        ("the 21<sup>st</sup> century", "the 21st century"),
        ("a <sup>1</sup> b<sup></sup> c<sup>1", "a 1 b c1"),
    ],
)
def test_a_mark_above_the_line_is_not_read_with_its_word(text, read):
    tokens = inline_tokens(text)
    assert "".join(token.text for token in tokens) == read
    assert "".join(token.verbatim for token in tokens) == text
