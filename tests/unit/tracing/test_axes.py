import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import Tokenizer
from saccade.special_tokens import BOS, EOS, UNK
from saccade.tracing.axes import axis, unknown_characters

TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)


@pytest.fixture(scope="module", params=["bpe", "unigram", "character", "word"])
def cutting(request) -> Tokenizer:
    lines = ["Two men are talking.", "A dog runs behind the old school.", "An old man drinks tea, and reads."]
    return Tokenizer.train(lines, pieces=request.param, size=330 if request.param == "bpe" else 300)


def made(tokenizer: Tokenizer, text: str):
    text = tokenizer.normalise(text)
    return text, axis(tokenizer, [*tokenizer.encode([text])[0], EOS], text)


@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_every_token_stands_in_exactly_one_word(cutting, text):
    _, found = made(cutting, text)
    pieces = sorted(place for word in found["words"] for place in word["pieces"])
    assert pieces == list(range(len(found["tokens"])))
    for number, word in enumerate(found["words"]):
        assert all(found["tokens"][place]["word"] == number for place in word["pieces"])


@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_spans_lead_back_to_the_text(cutting, text):
    text, found = made(cutting, text)
    for token in found["tokens"]:
        if token["special"] is None and not token["piece"].startswith("<0x"):
            start, end = token["span"]
            assert text[start:end] == token["text"]


@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_words_are_those_of_the_text(cutting, text):
    text, found = made(cutting, text)
    spelling = cutting.kind == "character" and " " not in text
    expected = list(text) if spelling else text.split()
    assert [word["text"] for word in found["words"] if word["special"] is None] == expected


@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_every_character_but_spaces_lies_in_a_span(cutting, text):
    text, found = made(cutting, text)
    covered = {place for token in found["tokens"] if "span" in token for place in range(*token["span"])}
    assert {place for place, character in enumerate(text) if character != " "} <= covered


def test_the_bytes_of_a_character_share_its_span(tokenizer):
    text, found = made(tokenizer, "a 🙂 b")
    spelled = [token for token in found["tokens"] if token["piece"].startswith("<0x")]
    assert len(spelled) == 4
    assert {tuple(token["span"]) for token in spelled} == {(2, 3)}


def test_special_tokens_are_words_of_their_own(tokenizer):
    found = axis(tokenizer, [BOS, *tokenizer.encode(["old tea"])[0], EOS])
    assert [word["special"] for word in found["words"]] == ["bos", None, None, "eos"]
    assert "span" not in found["tokens"][1]


def test_the_mark_of_a_space_stays_in_the_piece_and_leaves_the_text(tokenizer):
    found = axis(tokenizer, tokenizer.encode(["old"])[0])
    assert found["tokens"][0]["piece"].startswith(SPACE)
    assert SPACE not in found["tokens"][0]["text"]


def test_characters_the_vocabulary_lacks_are_named_once_each(tokenizer):
    assert unknown_characters(tokenizer, "ein Œuf, Œuf 中 old") == ["Œ", "中"]


def test_where_pieces_are_a_closed_list_what_is_lost_is_named():
    closed = Tokenizer.train(["good", "bad"], pieces="word", closed=True)
    assert UNK in closed.encode(["ugly"])[0]
    assert unknown_characters(closed, "ugly") == ["u", "g", "l", "y"]
