import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.tokenizer import Tokenizer
from saccade.documents.protected_spans import find_spans
from saccade.serving.unseen_words import unseen_words, with_unseen_words

LINES = ("The cat drank the milk.", "Die Straße war naß, weil es geregnet hat.", "Two men are talking.")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(LINES * 5, pieces="bpe", size=330)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat 你好 drank", ["你好"]),
        ("It is called Москва, or مرحبا بالعالم.", ["Москва", "مرحبا بالعالم"]),
        ("नमस्ते means hello", ["नमस्ते"]),
        ("iPhone手机 is here", ["手机"]),
        ("Dvořák drank the milk", []),  # a Latin letter among others
        ("Die Straße", []),
        ("the milk", []),
    ],
)
def test_words_in_letters_of_no_piece_are_found(tokenizer, text, words):
    assert [span.text for span in unseen_words(text, tokenizer)] == words


def test_what_is_in_a_span_belongs_to_it(tokenizer):
    text = "the `你好` and 世界 {name}"
    found = with_unseen_words(find_spans(text), text, tokenizer)
    assert [span.kind for span in found] == ["code", "letters", "placeholder"]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab ñ.你好Мо0-{}/😀\n", max_size=30))
def test_spans_are_in_order_and_apart_and_are_the_text_they_name(tokenizer, text):
    found = with_unseen_words(find_spans(text), text, tokenizer)
    assert all(text[span.start : span.end] == span.text for span in found)
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))
