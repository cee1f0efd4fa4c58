import gzip
import lzma
from dataclasses import replace
from itertools import islice

import pytest

from saccade.serving.language_check import language_warning, language_warning_for_sentence
from saccade.serving.loading import load
from saccade.serving.translator import Translator

ENGLISH = [
    "Where is the train station?",
    "I have never seen such a beautiful house.",
    "My brother works in a hospital.",
    "Tom said that he would come tomorrow.",
    "It was raining when we left the school.",
]
SPANISH = [
    "¿Dónde está la estación de tren?",
    "Nunca he visto una casa tan hermosa.",
    "Mi hermano trabaja en un hospital.",
    "Tom dijo que vendría mañana.",
    "Estaba lloviendo cuando salimos de la escuela.",
]
GERMAN = [
    "Wann kommt der Zug?",
    "Ich habe noch nie ein so schönes Haus gesehen.",
    "Mein Bruder arbeitet in einem Krankenhaus.",
]
FRENCH = ["Où est la gare ?", "Je n'ai jamais vu une aussi belle maison.", "Mon frère travaille dans un hôpital."]
CHINESE = ["我从来没有见过这么漂亮的房子。", "我哥哥在医院工作。", "汤姆说他明天会来。", "火车站在哪里?", "下雨了。"]


@pytest.fixture(scope="module")
def shipped():
    return load("en-es", device="cpu")


@pytest.fixture(scope="module")
def of_unknown_languages(shipped):
    """The same model, with languages that have no code in any table."""
    bundle = replace(shipped.bundle, source_language="qaa", target_language="qab")
    return Translator([bundle], shipped.device)


def test_source_text_raises_no_suspicion(shipped):
    assert language_warning(shipped, ENGLISH) is None


@pytest.mark.parametrize(
    ("lines", "language"),
    [(SPANISH, "Spanish"), (GERMAN, "German"), (FRENCH, "French"), (CHINESE, "Chinese")],
    ids=["es", "de", "fr", "zh"],
)
def test_text_of_another_language_is_noticed(shipped, lines, language):
    assert language_warning(shipped, lines) == (
        f"The input looks like {language}, but this model translates from English to Spanish. Is it the right one?"
    )
    sentence = " ".join(lines)
    expected = f"This looks like {language}, but this model translates from English to Spanish."
    assert language_warning_for_sentence(shipped, sentence) == expected


def test_of_a_few_letters_nothing_is_said(shipped):
    assert language_warning_for_sentence(shipped, "Hola, amigo") is None


def test_the_country_of_a_language_does_not_matter(shipped):
    american = Translator([replace(shipped.bundle, source_language="en_US")], shipped.device)
    assert language_warning(american, ENGLISH) is None
    assert language_warning(american, GERMAN) is not None


def test_numbers_and_addresses_are_of_no_language(shipped):
    assert language_warning(shipped, ["1,234.50", "2026-11-16 03:14", "https://example.org/a?b=c"] * 5) is None


def test_in_unknown_languages_target_text_is_noticed_by_the_model(of_unknown_languages):
    assert language_warning(of_unknown_languages, ENGLISH) is None
    assert "looks like qab, but this model translates from qaa" in language_warning(of_unknown_languages, SPANISH)


def test_in_unknown_languages_characters_the_model_cannot_spell_are_noticed(of_unknown_languages):
    assert "characters that this model (qaa to qab) has hardly seen" in language_warning(
        of_unknown_languages, CHINESE * 3
    )


def test_little_text_is_too_little_to_judge(shipped):
    assert language_warning(shipped, SPANISH[:2]) is None
    assert language_warning(shipped, [*SPANISH[:2], "", " "]) is None
    assert language_warning(shipped, ["Sí.", "No.", "Quizás."]) is None


def test_other_tasks_and_unknown_languages_are_not_judged(make_bundle, tmp_path):
    for number, changes in enumerate(({"target_language": None}, {"target_language": "en"}, {"task": "pronunciation"})):
        assert language_warning(load(make_bundle(tmp_path / str(number), **changes), device="cpu"), CHINESE) is None


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["tatoeba-en-es/train.en.xz", "multi30k/train.en.gz", "europarl-de-en/train.en.xz"])
def test_ten_thousand_lines_of_the_source_language_raise_no_suspicion(shipped, corpora, corpus):
    assert [group for group in groups(corpora / corpus) if language_warning(shipped, group)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "corpus", ["tatoeba-en-es/train.es.xz", "tatoeba-en-de/train.de.xz", "multi30k/train.de.gz", "multi30k/train.fr.gz"]
)
def test_of_ten_thousand_lines_of_another_language_all_but_one_in_a_hundred_are_noticed(shipped, corpora, corpus):
    everything = groups(corpora / corpus)
    missed = [group for group in everything if language_warning(shipped, group) is None]
    assert len(missed) <= len(everything) // 100, missed[:5]


def groups(path):
    """Ten thousand lines of a corpus, three at a time; those that say too little are left out."""
    with {".xz": lzma.open, ".gz": gzip.open}[path.suffix](path, "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in islice(file, 10_000)]
    found = [lines[place : place + 3] for place in range(0, len(lines) - 2, 3)]
    return [group for group in found if sum(len(line) for line in group) > 60]
