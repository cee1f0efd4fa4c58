"""Long sentences are cut at good places, and nothing is lost."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.documents.long_sentences import cut
from saccade.documents.protected_spans import find_spans


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab ,;。é\u0301😀\u200d"), max_size=80), st.integers(1, 9))
def test_pieces_fit_and_are_the_text(text, most):
    pieces = cut(text, lambda piece: len(piece) <= most)
    assert "".join(pieces) == text
    assert all(len(piece) <= most or find_spans(piece) or re.fullmatch(r"\W*[abé]+\W*", piece) for piece in pieces)


def test_cuts_are_after_marks_then_before_conjunctions_then_at_spaces():
    def pieces(text):
        return cut(text, lambda piece: len(piece) < len(text))

    assert pieces("one two, three; four five, six") == ["one two, three; ", "four five, six"]
    assert pieces("one two three, four five six") == ["one two three, ", "four five six"]
    assert pieces("one two three and four five") == ["one two three ", "and four five"]
    assert pieces("one two three four") == ["one two ", "three four"]
    assert pieces("一二三四五六七八") == ["一二三四", "五六七八"]


def test_a_word_is_not_cut():
    def pieces(text):
        return cut(text, lambda piece: len(piece) < 10)

    assert pieces("one twothreefour, five") == ["one ", "twothreefour, ", "five"]
    assert pieces("QUJDREVGRw+/abc==") == ["QUJDREVGRw+/abc=="]
    assert pieces("one,two,three,four") == ["one,two,t", "hree,four"]
