import random

import pytest
from tests.unit.data.trained_tokenizers import KINDS, LINES, trained

from saccade.data import piece_learning
from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError, InputError


@pytest.mark.parametrize("kind", KINDS)
def test_training_gives_the_same_pieces_again(kind):
    again = Tokenizer.train(iter(LINES), pieces=kind, size=420 if kind in ("bpe", "unigram") else None)
    assert again == trained(kind)


@pytest.mark.parametrize("kind", ["bpe", "word"])
def test_counted_words_teach_what_lines_teach(kind, monkeypatch):
    lines = [*LINES, " Rad\u00a0und  Ra\u0308der▁Räder ", "", "Feld 😀 Feld"]
    size = 420 if kind == "bpe" else None
    counted = Tokenizer.train(lines, pieces=kind, size=size)
    monkeypatch.setattr(piece_learning, "COUNTED", ())
    plain = Tokenizer.train(lines, pieces=kind, size=size)
    assert counted.pieces(range(counted.size)) == plain.pieces(range(plain.size))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_tiny_corpus_gives_as_many_pieces_as_there_are(kind):
    tokenizer = Tokenizer.train(["ab"], pieces=kind, size=8000)
    assert 260 < tokenizer.size < 300
    assert tokenizer.decode(tokenizer.encode(["ab ba"])[0]) == "ab ba"


def test_characters_that_do_not_fit_are_left_to_the_bytes():
    generator = random.Random(5)
    lines = ["".join(chr(0x4E00 + int(900 * generator.random() ** 3)) for _ in range(40)) for _ in range(300)]
    tokenizer = Tokenizer.train(lines, pieces="bpe", size=1100)
    assert tokenizer.size <= 1100
    assert tokenizer.decode(tokenizer.encode(lines[:7])[3]) == lines[3]


def test_a_vocabulary_without_room_for_bytes_is_refused():
    with pytest.raises(ConfigError, match="`vocabulary` must .* 200"):
        Tokenizer.train(LINES, pieces="bpe", size=200)


def test_learning_from_nothing_is_refused():
    with pytest.raises(InputError, match="at least one word"):
        Tokenizer.train([" ", ""], pieces="bpe", size=300)


def test_learning_looks_at_a_sample_only():
    lines = [f"word{number}" for number in range(997)]
    few = Tokenizer.train(lines, pieces="word", sample_lines=13)
    assert few.size == 4 + 256 + 13


def test_training_prints_nothing(capfd):
    Tokenizer.train(["a b c"], pieces="bpe", size=300)
    assert tuple(capfd.readouterr()) == ("", "")


def test_closed_pieces_have_no_bytes_to_spell_others():
    tokenizer = Tokenizer.train(["de", "en"], pieces="word", closed=True)
    assert tokenizer.size == 6
    assert tokenizer.encode(["fr", "en fr de"]) == [
        [2],
        [tokenizer.encode(["en"])[0][0], 2, tokenizer.encode(["de"])[0][0]],
    ]
