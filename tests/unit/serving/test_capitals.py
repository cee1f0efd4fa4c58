"""Sentences in capitals are read in lower case, and nothing that must be copied changes its letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.tokenizer import Tokenizer
from saccade.serving.capitals import (
    has_small_words,
    has_usual_cases,
    in_capitals,
    is_capital_word,
    lowered,
    raised,
    surer,
)
from saccade.serving.kept_spans import protected_spans
from saccade.serving.loading import load
from saccade.serving.translation import Candidate, Translation

TEXTS = st.text(st.one_of(st.sampled_from("ABÉÑSTabñ .,!?"), st.characters(exclude_categories=["Cs"])), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("THE DOG RUNS.", True),
        ("I AM!", True),
        ("NATO", False),
        ("A B", False),
        ("THE dog", False),
        ("", False),
        ("17 24", False),
        ("你好 你好", False),
        ("SEE https://example.com/aBc NOW", True),
        ("NATO https://example.com", False),
        ("ПРИВЕТ, МИР", True),
    ],
)
def test_several_words_in_capitals_are_a_sentence_in_capitals(text, expected):
    assert in_capitals(text, protected_spans(text, ())) is expected


@given(text=st.one_of(TEXTS, st.text("AB c.{}@", max_size=30)))
def test_a_text_with_small_words_is_not_in_capitals(text):
    assert not (has_small_words(text) and in_capitals(text, protected_spans(text, ())))


@pytest.fixture(scope="module")
def vocabulary():
    """It has `Tom` and `groß` whole, and most other words in small letters."""
    return Tokenizer.train(["Tom is here, see for yourself", "a dog: groß und klein"] * 9, pieces="bpe", size=330)


def test_spans_keep_their_letters_on_both_sides(vocabulary):
    text = "«SEE https://example.com/aBc FOR {Name}, TOM!»"
    small = "«See https://example.com/aBc for {Name}, Tom!»"
    spans = protected_spans(text, ())
    assert lowered(text, spans, vocabulary, "en") == small
    assert raised(small, [span.text for span in spans]) == text


def test_german_is_read_in_small_letters_with_a_sharp_s_where_it_is_usual(vocabulary):
    assert lowered("GROSS UND KLEIN, TOM!", (), vocabulary, "de") == "groß und klein, tom!"


def test_a_sentence_that_begins_with_a_span_gets_no_other_capital(vocabulary):
    text = "{name} IS HERE."
    assert lowered(text, protected_spans(text, ()), vocabulary, "en") == "{name} is here."


@given(text=TEXTS)
def test_without_spans_only_cases_change(vocabulary, text):
    assert raised(text) == text.upper()
    for language in ("en", "de"):
        assert lowered(text, (), vocabulary, language).casefold() == text.lower().casefold()


def test_languages_with_other_letters_and_unknown_ones_are_left_alone():
    assert has_usual_cases("en", "es")
    assert not has_usual_cases("tr", "en")
    assert not has_usual_cases("en", "az")
    assert not has_usual_cases("en", None)


@pytest.fixture(scope="module")
def translator(make_bundle, tmp_path_factory):
    return load(make_bundle(tmp_path_factory.mktemp("capitals") / "model"), device="cpu")


def test_capitals_are_translated_as_the_same_in_lower_case(translator):
    [small] = translator.translate_batch(["A dog runs fast."], alignment=True)
    [large] = translator.translate_batch(["A DOG RUNS FAST."], alignment=True)
    assert large.source == "A DOG RUNS FAST."
    assert large.text == small.text.upper()
    assert large.score == small.score
    assert large.alignment.links == small.alignment.links
    assert list(large.alignment.source_words) == ["A", "DOG", "RUNS", "FAST."]


def test_without_protection_capitals_are_left_to_the_model(translator):
    [found] = translator.translate_batch(["A DOG RUNS FAST."], protect=False)
    assert found.text != translator.translate("A DOG RUNS FAST.")


def test_a_small_word_that_a_pattern_keeps_does_not_hide_capitals(translator):
    [small] = translator.translate_batch(["A abc runs."], protect=["abc"])
    [large] = translator.translate_batch(["A abc RUNS."], protect=["abc"])
    assert "abc" in large.text
    assert large.text.upper() == small.text.upper()


def test_terms_of_a_glossary_are_found_in_capitals(translator):
    found = translator.translate("A DOG RUNS FAST.", glossary={"DOG": "HUND"})
    assert "HUND" in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("STOP!", True),
        ("«ÁRBOL»", True),
        ("A!", False),
        ("Stop!", False),
        ("NO ENTRY", False),
        ("MP3", False),
        ("", False),
    ],
)
def test_a_word_in_capitals_has_nothing_beside_it(text, expected):
    assert is_capital_word(text, protected_spans(text, ())) is expected


def found(source, text, score):
    return Translation(1, source, (Candidate(text, score, score, None, True, None),))


@pytest.mark.parametrize(
    ("capitals", "small", "expected"),
    [
        (("¡TODO!", -2.4), ("¡Para!", -1.4), "¡PARA!"),
        (("¡TODO!", -1.4), ("¡Para!", -2.4), "¡TODO!"),
        (("¡TODO!", -2.4), ("¡Stop!", -0.4), "¡TODO!"),  # a copy is no reason
    ],
)
def test_of_two_readings_of_a_word_the_surer_counts(capitals, small, expected):
    chosen = surer(found("STOP!", *capitals), found("Stop!", *small))
    assert chosen.source == "STOP!"
    assert chosen.text == expected


@pytest.fixture(scope="module")
def shipped():
    return load("en-es", device="cpu")


def test_a_word_in_capitals_is_read_in_two_ways(shipped):
    [as_it_is, with_capital] = shipped.translate_batch(["HELP!", "Help!"], protect=False)
    [both] = shipped.translate_batch(["HELP!"])
    assert with_capital.score > as_it_is.score
    assert both.score == pytest.approx(with_capital.score, abs=1e-5)
    assert (both.source, both.text) == ("HELP!", "¡AYUDA!")
    assert shipped.translate(["NATO", "UK"]) == shipped.translate(["NATO", "UK"], protect=False)


def test_a_word_whose_capitals_the_model_cannot_read_is_read_with_one(translator):
    [found] = translator.translate_batch(["DOG!"])
    assert found.text == translator.translate("Dog!").upper()


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        (("eng_Latn", "spa_Latn"), True),
        (("tr-TR", "en"), False),
        (("eng_Latn", "tur_Latn"), False),
        (("az_AZ", "en"), False),
        (("trv", "en"), True),
        (("en", ""), False),
    ],
)
def test_cases_are_those_of_the_language_in_whichever_country_and_script(languages, expected):
    assert has_usual_cases(*languages) is expected


@pytest.mark.parametrize("german", ["de-DE", "deu_Latn", "ger"])
def test_german_is_german_however_it_is_written(vocabulary, german):
    assert lowered("GROSS UND KLEIN, TOM!", (), vocabulary, german) == "groß und klein, tom!"
