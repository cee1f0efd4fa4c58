"""Characters a vocabulary has no piece for."""

from saccade.data.tokenizer import Tokenizer
from saccade.explorer.axes import unknown_characters

LINES = ["two men are talking", "a dog runs behind the old school", "she reads a long book"]


def test_characters_without_a_piece_are_named_once_and_in_order():
    tokenizer = Tokenizer.train(LINES, pieces="bpe", size=300)
    assert unknown_characters(tokenizer, "a 猫 dog ☂ 猫") == ["猫", "☂"]


def test_a_known_word_is_known_where_pieces_are_words():
    tokenizer = Tokenizer.train(LINES, pieces="word", size=300)
    assert unknown_characters(tokenizer, "two men") == []


def test_an_unknown_word_is_told_by_its_characters_where_pieces_are_words():
    tokenizer = Tokenizer.train(LINES, pieces="word", size=300)
    assert unknown_characters(tokenizer, "two uzi") == ["u", "z", "i"]
