"""Texts of several sentences, with an untrained model: every sentence is there, and what is around it stays."""

import re

import pytest

from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import load

TEXT = "A dog runs. She reads.\n\n  - Two men are talking in the street.\r\n\t1. Nobody knows why.  \n"


@pytest.fixture(scope="module")
def translator(folder):
    return load(folder, device="cpu")


def alone(translator, *sentences):
    return [translator.translate(one, split_sentences=False) for one in sentences]


def test_every_sentence_is_translated_and_the_rest_stays(translator):
    first, second, third, fourth = alone(
        translator, "A dog runs.", "She reads.", "Two men are talking in the street.", "Nobody knows why."
    )
    expected = f"{first} {second}\n\n  - {third}\r\n\t1. {fourth}  \n"
    assert translator.translate(TEXT) == expected
    assert translator.translate(["She reads.", TEXT]) == [second, expected]


def test_a_batch_tells_each_sentence(translator):
    [found] = translator.translate_batch([TEXT])
    assert [piece.source for piece in found.pieces][:2] == ["A dog runs.", "She reads."]
    assert found.score == pytest.approx(sum(piece.score for piece in found.pieces))
    assert [piece["text"] for piece in found.to_json()["sentences"]] == [piece.text for piece in found.pieces]


@pytest.mark.parametrize("text", ["", "  \n\t", "12:30", "--- 😀 ---\n"])
def test_what_has_no_letters_is_copied(translator, text):
    assert translator.translate(text) == text


def test_what_is_too_long_is_cut_and_all_of_it_translated(translator):
    long = "the dog runs, and she reads, " * 30 + "and the birds came back."
    [found] = translator.translate_batch([long])
    assert len(found.pieces) > 3
    assert "".join(piece.source for piece in found.pieces) == long
    assert all(piece.source.endswith(", ") for piece in found.pieces[:-1])
    assert found.text == " ".join(piece.text for piece in found.pieces)
    assert found.error is None


def test_a_line_without_any_space_is_cut_too(translator):
    [found] = translator.translate_batch(["ab漢" * 200])
    assert "".join(piece.source for piece in found.pieces) == "ab漢" * 200
    assert found.error is None


def test_tags_come_back_around_words(translator):
    found = translator.translate("The <b>old <i>school</i></b> of <img/> the town.")
    assert sorted(re.findall("<[^>]*>", found)) == sorted(["<b>", "<i>", "</i>", "</b>", "<img/>"])
    assert re.search(r"<b>[^<]*(<img/>)?[^<]*<i>[^<]*(<img/>)?[^<]*</i>[^<]*(<img/>)?[^<]*</b>", found)
    assert re.sub("<[^>]*>", "", found).split() == alone(translator, "The old school of the town.")[0].split()


def test_what_asks_for_more_than_a_text_takes_a_line_as_one_sentence(translator):
    [whole] = translator.translate_batch(["A dog runs. She reads."], alignment=True)
    assert whole.text == alone(translator, "A dog runs. She reads.")[0]
    assert len(translator.translate("A dog runs. She reads.", nbest=2)) == 2


def test_windows_and_batches_change_nothing(translator):
    texts = [TEXT, "She reads. A dog runs.", "", "Nobody knows why the birds came back. <b>A dog</b> runs."]
    together = [one.text for one in translator.stream(texts, translator.options())]
    options = TranslationOptions(split_sentences=True, window=1, batch_tokens=20)
    assert [one.text for one in translator.stream(texts, options)] == together
