"""Texts of several sentences, with an untrained model: every sentence is there, and what is around it stays."""

import re
from dataclasses import replace

import pytest

from saccade.documents.plain_text import read_plain_text
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions

TEXT = "A dog runs. She reads.\n\n  - Two men are talking in the street.\r\n\t1. Nobody knows why.  \n"


@pytest.fixture(scope="module")
def translator(make_bundle, tmp_path_factory):
    short = {"size": 1, "alpha": 0.6, "extra_length": 0}
    return load(make_bundle(tmp_path_factory.mktemp("models") / "short", seed=6, decoding=short), device="cpu")


def alone(translator, *sentences):
    return [translator.translate(one, split_sentences=False) for one in sentences]


def test_every_sentence_is_translated_and_the_rest_stays(translator):
    first, second, third, fourth = alone(
        translator, "A dog runs.", "She reads.", "Two men are talking in the street.", "Nobody knows why."
    )
    expected = f"{first} {second}\n\n  - {third}\r\n\t1. {fourth}  \n"
    assert translator.translate(TEXT) == expected
    assert translator.translate(["She reads.", "A dog runs. "]) == [second, f"{first} "]


def test_words_are_read_without_soft_hyphens(translator):
    [found] = translator.translate_batch(["A do\u00adg runs."])
    assert [found.text] == alone(translator, "A dog runs.")
    assert found.source == "A do\u00adg runs."


def test_a_batch_tells_each_sentence(translator):
    [found] = translator.translate_batch(["\t- A dog runs.\r\nShe reads."])
    assert [piece.source for piece in found.pieces] == ["A dog runs.", "She reads."]
    assert found.score == pytest.approx(sum(piece.score for piece in found.pieces))
    assert [piece["text"] for piece in found.to_json()["sentences"]] == [piece.text for piece in found.pieces]


@pytest.mark.parametrize("text", ["", "  \n\t", "12:30", "--- 😀 ---\n"])
def test_what_has_no_letters_is_copied(translator, text):
    assert translator.translate(text) == text


def test_what_is_in_letters_that_the_model_has_never_seen_is_copied(translator):
    [dog] = alone(translator, "A dog runs.")
    assert translator.translate("Привет, мир! A dog runs. مرحبا.") == f"Привет, мир! {dog} مرحبا."
    assert translator.translate("Привет dog.") != "Привет dog."
    assert translator.translate("Привет!", protect=False) != "Привет!"


def test_what_is_too_long_is_cut_and_all_of_it_translated(translator):
    long = "the dog runs, and she reads, " * 12 + "and the birds came back."
    [found] = translator.translate_batch([long])
    assert len(found.pieces) > 2
    assert "".join(piece.source for piece in found.pieces) == long
    assert all(piece.source.endswith(", ") for piece in found.pieces[:-1])
    assert found.text == " ".join(piece.text for piece in found.pieces)
    assert found.error is None


def test_what_is_longer_than_what_the_model_learned_from_is_cut(translator, tmp_path):
    replace(translator.bundle, usual_length=12).save(tmp_path / "model", "# model\n")
    used_to_short = load(tmp_path / "model", device="cpu")
    assert used_to_short.bundle.usual_length == 12
    long = "the dog runs, and she reads, and the birds came back."
    [found], [whole] = used_to_short.translate_batch([long]), translator.translate_batch([long])
    assert (len(found.pieces) > 1, whole.pieces) == (True, ())
    assert "".join(piece.source for piece in found.pieces) == long
    assert all(len(used_to_short.source_tokenizer.encode([piece.source])[0]) < 12 for piece in found.pieces)
    assert used_to_short.translate(long, truncate=True) == whole.text


def test_a_line_without_any_space_is_cut_too(translator):
    [found] = translator.translate_batch(["ab漢" * 30])
    assert "".join(piece.source for piece in found.pieces) == "ab漢" * 30
    assert found.error is None


def test_tags_come_back_around_words(translator):
    found = translator.translate("The <b>old <i>school</i></b> of <img/> the town.")
    assert sorted(re.findall("<[^>]*>", found)) == sorted(["<b>", "<i>", "</i>", "</b>", "<img/>"])
    assert re.search(r"<b>[^<]*(<img/>)?[^<]*<i>[^<]*(<img/>)?[^<]*</i>[^<]*(<img/>)?[^<]*</b>", found)
    assert re.sub("<[^>]*>", "", found).split() == alone(translator, "The old school of the town.")[0].split()


def test_what_asks_for_more_than_a_text_takes_a_line_as_one_sentence(translator):
    [whole] = translator.translate_batch(["A dog runs. She reads."], alignment=True)
    assert whole.text == alone(translator, "A dog runs. She reads.")[0]
    assert translator.splits(translator.options(nbest=1))
    assert not translator.splits(translator.options(beam=2, nbest=2))
    assert not translator.splits(translator.options(), prefix="A")


def test_windows_and_batches_change_nothing(translator):
    texts = ["She reads. A dog runs.", "", "Nobody knows. <b>A dog</b> runs."]
    together = [one.text for one in translator.stream(texts, translator.options())]
    options = TranslationOptions(split_sentences=True, window=1, batch_tokens=20)
    assert [one.text for one in translator.stream(texts, options)] == together


def test_a_model_that_does_not_attend_places_tags_in_proportion(translator):
    sentences = [(1, sentence) for sentence in read_plain_text("<i>A</i> dog runs.", "en").sentences]
    [found] = replace(translator.texts, attends=False).translate_sentences(sentences, translator.options())
    assert found.pieces[0].alignment is None
    assert sorted(re.findall("<[^>]*>", found.text)) == ["</i>", "<i>"]
