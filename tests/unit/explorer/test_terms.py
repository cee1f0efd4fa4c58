"""Terms of the field are found in the texts of the page, each once, and every one has a definition; run in node."""

import re

import pytest
from tests.page_modules import run_in_node

SCRIPT = """
import { termsIn } from "page/app/terms";

export default async ({ texts }) => {
  const found = {};
  for (const language of ["en", "de", "es"]) {
    const { GLOSSARY } = await import(`page/words/${language}/glossary`);
    found[language] = {
      terms: Object.entries(GLOSSARY).map(([key, { name, means }]) => ({
        key,
        name,
        means,
        itself: termsIn(name, GLOSSARY).map((place) => place.key),
      })),
      places: (texts[language] ?? []).map((text) =>
        termsIn(text, GLOSSARY).map(({ start, length, key }) => [key, text.slice(start, start + length)]),
      ),
      again: termsIn("A head.", GLOSSARY, new Set(["head"])).length,
    };
  }
  return found;
};
"""

TEXTS = {
    "en": [
        "Cross-attention is attention from the decoder; its heads look at keys.",
        "A headline, the keyboard and pre-query are none.",
        "A head and another head.",
    ],
    "de": ["Die Köpfe einer Schicht."],
    "es": ["La atención cruzada de una capa.", "Cámbialos y mira qué pasa."],
}


@pytest.fixture(scope="module")
def found():
    return run_in_node(SCRIPT, {"texts": TEXTS})


def test_the_longest_term_is_taken_and_parts_of_words_are_not(found):
    first, second, third = found["en"]["places"]
    assert first == [
        ["crossAttention", "Cross-attention"],
        ["attention", "attention"],
        ["decoder", "decoder"],
        ["head", "heads"],
        ["look", "look at"],
        ["key", "keys"],
    ]
    assert second == []
    assert third == [["head", "head"]]
    assert found["en"]["again"] == 0


def test_every_language_finds_its_own_forms(found):
    assert found["de"]["places"] == [[["head", "Köpfe"], ["layer", "Schicht"]]]
    assert found["es"]["places"] == [[["crossAttention", "atención cruzada"], ["layer", "capa"]], []]


def test_every_term_is_found_by_its_name_and_is_explained_in_a_sentence(found):
    for language, told in found.items():
        for term in told["terms"]:
            assert term["key"] in term["itself"], (language, term["name"])
            assert re.search(r"[.]$", term["means"]), (language, term["name"])
