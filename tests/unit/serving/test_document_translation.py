"""An error says what it is about: the file where the file is at fault, and nothing else where that is not so."""

import pytest

from saccade.documents.formats import HTML, find_format
from saccade.errors import InputError
from saccade.serving.document_translation import translate_document
from saccade.serving.loading import load


@pytest.fixture(scope="module")
def translator(folder):
    return load(folder, device="cpu")


def test_an_error_of_reading_names_the_file(translator, tmp_path):
    options = translator.options()
    with pytest.raises(InputError, match=r"^`page\.xlf` must be well-formed XML"):
        translate_document(translator.texts, b"<a>", find_format(tmp_path / "a.xlf"), options, name="page.xlf")


def test_an_error_of_translating_is_not_about_the_file(translator):
    options = translator.options(glossary={"dog": "town grass " * 40}, on_error="stop")
    with pytest.raises(InputError, match="^the terms of an output must have at most 63 tokens"):
        translate_document(translator.texts, b"<p>A dog runs.", HTML, options, name="page.html")
