"""Glossaries: what is read, what matches, and that translations have it."""

import pytest

from saccade.errors import ConfigError, InputError
from saccade.serving.glossary import Glossary
from saccade.serving.loading import load


@pytest.fixture(scope="module")
def translator(make_bundle, tmp_path_factory):
    return load(make_bundle(tmp_path_factory.mktemp("glossary") / "model"), device="cpu")


def found(terms, text):
    return [(entry.source, written) for entry, written in Glossary.of(terms).found(text)]


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ({"dog": "can"}, "Dog, dogs and DOG", [("dog", "Dog"), ("dog", "DOG")]),
        ({"Apple": ""}, "An apple from Apple", [("Apple", "Apple")]),
        ({"free": "a", "free kick": "b", "kick": "c"}, "a free kick", [("free kick", "free kick")]),
        ({"free kick": "b", "kick off": "c"}, "free kick off", [("free kick", "free kick")]),
        ({"狗": "dog"}, "我有一只狗。", [("狗", "狗")]),
        ({"a very long entry": "x"}, "a very", []),
        ({"C++": "", "é": "e"}, "C++ is not C; é", [("C++", "C++"), ("é", "é")]),
    ],
)
def test_sources_match_whole_words_and_the_longest_counts(terms, text, expected):
    assert found(terms, text) == expected


def test_a_file_has_comments_alternatives_options_and_terms_that_stay(tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_text("# comment\n\ndog\tcan|perro\ntranslation\ttraducción\tinflect\nAcme Cloud\n", encoding="utf-8")
    assert Glossary.read(file).settings == [
        ["dog", ["can", "perro"], False],
        ["translation", ["traducción"], True],
        ["Acme Cloud", [], False],
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dog\tcan\nhouse\tcasa\tbig\n", "line 2 of .*'inflect' or none, but has 'big'"),
        ("a\tb\tinflect\tc\n", "line 1 of .*at most three columns"),
        ("\tcasa\n", "line 1 of .*must have a source"),
        ("dog\tcan\ndog\tperro\n", "line 2 of .*another target than line 1 of"),
        ("dog\tcan\ndog\tcan\tinflect\n", "line 2 of .*another option than line 1 of"),
        ("dog    can\n", "line 1 of .*parted by a tab"),
        ("Acme\t\tinflect\n", "line 1 of .*target to inflect"),
    ],
)
def test_a_mistake_in_a_file_is_named_by_file_and_line(tmp_path, content, message):
    file = tmp_path / "terms.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Glossary.read(file)


def test_case_follows_the_source_where_an_entry_is_in_small_letters():
    [(entry, written)] = Glossary.of({"dog": "can"}).found("A DOG")
    assert entry.forms_of(written) == ("can", "CAN")
    assert entry.forms_of("Dog") == ("can", "Can")
    [(kept, written)] = Glossary.of({"acme": ""}).found("Acme")
    assert kept.forms_of(written) == ("Acme",)


def test_translations_have_their_terms_and_other_sentences_are_as_without(translator):
    texts = ["She reads.", "A dog and a dog."]
    plain = translator.translate_batch(texts, nbest=2)
    forced = translator.translate_batch(texts, nbest=2, glossary={"dog": "street"})
    assert forced[0] == plain[0]
    for text in forced[1].texts:
        assert text.lower().split().count("street") >= 2


def test_a_glossary_is_for_search(translator):
    from saccade.decoding.sampling import SamplingConfig

    with pytest.raises(ConfigError, match="beam search"):
        translator.translate("A dog.", glossary={"dog": "x"}, sampling=SamplingConfig())
