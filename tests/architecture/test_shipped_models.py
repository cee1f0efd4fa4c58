"""A shipped model names whose text it was made of, and all together are small enough to be in the package."""

import pytest
from bench.shipped.english_text import whose_text

from saccade.data.general_corpora import ENGLISH_SPANISH
from saccade.serving.model_names import shipped_models


@pytest.mark.parametrize(("model", "sources"), [("en-es", ENGLISH_SPANISH.values()), ("de-en", whose_text())])
def test_every_source_of_a_model_is_named_with_its_licence(model, sources):
    lines = (shipped_models()[model] / "ATTRIBUTION.txt").read_text(encoding="utf-8").splitlines()
    named = set(zip(lines, lines[1:], strict=False))
    assert [one for one in sources if (one[0], f"  licence: {one[1]}") not in named] == []


@pytest.mark.parametrize("model", ["en-es", "de-en"])
def test_the_authors_of_tatoeba_s_sentences_are_named_one_by_one(model):
    text = (shipped_models()[model] / "ATTRIBUTION.txt").read_text(encoding="utf-8")
    authors = text.partition("Citation: Tatoeba")[2].splitlines()[2:]
    assert len(authors) == len(set(authors)) > 1900


def test_a_model_takes_at_most_20_megabytes_and_all_of_them_60():
    sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in shipped_models().items()}
    assert {name: size for name, size in sizes.items() if size > 20e6} == {}
    assert sum(sizes.values()) <= 60e6
