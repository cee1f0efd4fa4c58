"""A shipped model names whose text it was made of."""

from saccade.data.general_corpora import ENGLISH_SPANISH
from saccade.serving.model_names import shipped_models


def test_every_source_of_the_english_spanish_model_is_named_with_its_licence():
    lines = (shipped_models()["en-es"] / "ATTRIBUTION.txt").read_text(encoding="utf-8").splitlines()
    named = set(zip(lines, lines[1:], strict=False))
    assert [one for one in ENGLISH_SPANISH.values() if (one[0], f"  licence: {one[1]}") not in named] == []


def test_the_authors_of_tatoeba_s_sentences_are_named_one_by_one():
    text = (shipped_models()["en-es"] / "ATTRIBUTION.txt").read_text(encoding="utf-8")
    authors = text.partition("Citation: Tatoeba")[2].splitlines()[2:]
    assert len(authors) == len(set(authors)) > 1900
