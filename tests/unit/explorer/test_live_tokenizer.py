"""A live page cuts text as sentencepiece does, whatever the text."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.explorer.engine_in_node import answers

from saccade.data.tokenizer import Tokenizer
from saccade.explorer.live_model import live_model

LINES = (
    "Two men are talking in the street.",
    "The cat drank the milk because it was hungry.",
    "Nobody knows why the birds came back so early this year.",
    "Zwei Männer sprechen auf der Straße.",
    "El niño pequeño bebió la leche.",
)
HOSTILE = (
    "",
    " ",
    "  two  spaces ",
    "\ttab\nline\r\nend\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2028\u3000x",
    "🙂 👩\u200d🚀 🇪🇸",
    "猫喝了牛奶",
    "مرحبا بالعالم",
    "e\u0301 o\u0308 \u1e9b\u0323 ﬁ Ａ Å",  # composed by NFC, and compatibility forms that stay
    "▁the ▁ cat▁",
    "<s></s><unk><pad><0x41>",
    "\u0000\u0001\ufeff\ufffd\U0010ffff",
    "thethethe  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa " * 5,
    "\u0c95\u0ccd\u0c95 नमस्ते ไทย",
    "½ ² Ⅷ ſ ß ẞ İ ı",
)


def hostile_lines(count: int) -> list[str]:
    """Lines of letters that are known, rare and unknown, of marks and of spaces, always the same."""
    drawn = random.Random(5)
    parts = [*"aeiou thTMáñß.,▁\u0301\u200d\u00a0🙂猫م\x1c", "the", " cat", "  ", *"".join(LINES).split()]
    return ["".join(drawn.choices(parts, k=drawn.randint(0, 30))) for _ in range(count)]


@pytest.fixture(
    scope="module",
    params=[
        "bpe",
        "unigram",
        "closed-word",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("character", "closed-character", "word")),
    ],
)
def cutting(request, bundle):
    pieces = request.param.removeprefix("closed-")
    tokenizer = Tokenizer.train(LINES * 3, pieces=pieces, size=400, closed=pieces != request.param)
    model = bundle("transformer")
    same = {"source_tokenizer": tokenizer, "target_tokenizer": tokenizer}
    return tokenizer, live_model(replace(model, **same), "tiny")


def test_every_line_has_the_library_s_tokens_words_and_text(cutting):
    tokenizer, model = cutting
    lines = [*HOSTILE, *hostile_lines(500)]
    expected = tokenizer.encode(lines)
    drawn = random.Random(6)
    written = [[drawn.randrange(tokenizer.size) for _ in range(12)] for _ in range(200)]  # broken bytes among them
    tokens = [*expected, *written]
    found, texts, words = answers(model, [("encode", lines), ("decode", tokens), ("words", tokens)])
    assert found == expected
    assert texts == [tokenizer.decode(each) for each in tokens]
    assert words == [tokenizer.words(each) for each in tokens]


def test_symbols_are_never_cut_or_joined(bundle):
    tokenizer = Tokenizer.train(LINES * 3, pieces="bpe", size=400, symbols=["cat", "<x>"])
    model = live_model(replace(bundle("transformer"), source_tokenizer=tokenizer, target_tokenizer=tokenizer), "tiny")
    lines = ["The cat drank", "cats concat", "a <x> b<x>", *hostile_lines(50)]
    assert answers(model, [("encode", lines)]) == [tokenizer.encode(lines)]


@pytest.mark.slow
def test_ten_thousand_hostile_lines(cutting):
    tokenizer, model = cutting
    lines = hostile_lines(10_000)
    assert answers(model, [("encode", lines)]) == [tokenizer.encode(lines)]


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(lines=st.lists(st.text(), max_size=100))
def test_any_text_at_all(cutting, lines):
    tokenizer, model = cutting
    assert answers(model, [("encode", lines)]) == [tokenizer.encode(lines)]
