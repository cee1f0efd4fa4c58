"""The page says the same in every language: no key is missing, extra or left in English, and no number is left out."""

import re
from itertools import chain

import pytest
from tests.page_modules import run_in_node

from saccade.explorer.page import FOLDER
from saccade.models.catalogue import ARCHITECTURES

WORDS = FOLDER / "words"
LANGUAGES = ("de", "es")
AREAS = sorted(path.stem for path in (WORDS / "en").glob("*.js"))

SAME_EVERYWHERE = {
    "de": {
        # names, and words that German writes alike
        *("saccade", "Position", "Quiz", "Encoder", "Decoder", "Beam", "linear", "Dimension", "Palette", "diagonal"),
        *("Score", "Softmax", "Dropout", "Token", "Parameter", "Enter", "Esc", "RCTM", "LSTMN", "RNNsearch", "Luong"),
        *("ConvS2S", "Transformer"),
    },
    "es": {
        *("saccade", "tensor", "token", "softmax", "embedding", "Softmax", "Token", "Dropout", "bytes", "Esc", "RCTM"),
        *("LSTMN", "RNNsearch", "Luong", "ConvS2S", "Transformer"),
    },
}

SAME_FUNCTIONS = {
    # commands, names of tensors, arithmetic, and calls of what is translated elsewhere in its file
    *("ancestors.WORDS.missingHow", "app.words.pageTitle", "heads.heads.numbers", "model.MODEL.place"),
    *("model.MODEL.tensors", "position.POSITION.spelled", "steps.PLAIN.mask", "steps.PLAIN.norm"),
    *("ancestors.WORDS.chains.steps", "ancestors.WORDS.chains.feeds"),
    # words that German or Spanish has from English
    *(
        "heads.heads.badge.short",
        "inspector.INSPECTOR.bits",
        "beam.beam.finished.alphaIs",
        "model.MODEL.boxes.embedding",
    ),
}

FLAT = """

/** What a function puts into its text: for each parameter whether it is used, and which of its properties are. */
function uses(made) {
  const [, given, body] = /^\\(?(.*?)\\)?\\s*=>(.*)$/s.exec(made.toString().replace(/\\/\\*.*?\\*\\//gs, "")) ?? [];
  const names = (given ?? "").replace(/[{}()]/g, "").split(",").map((one) => one.trim()).filter(Boolean);
  return names.map((name) => {
    const found = [...body.matchAll(new RegExp(`(?<![\\\\w$.])${name}(?![\\\\w$])(\\\\.\\\\w+)?`, "g"))];
    const properties = found.map(([, property]) => property).filter((one) => one && one !== ".toFixed");
    return properties.length ? [...new Set(properties)].sort() : found.length > 0;
  });
}

function flat(value, at, found) {
  if (typeof value === "function") found[at] = { kind: "function", uses: uses(value), source: value.toString() };
  else if (typeof value === "string") found[at] = { kind: "string", text: value };
  else for (const [key, inner] of Object.entries(value)) flat(inner, `${at}.${key}`, found);
  return found;
}

export default async (areas) => {
  const all = {};
  for (const language of ["en", "de", "es"]) {
    all[language] = {};
    for (const area of areas) flat(await import(`page/words/${language}/${area}`), area, all[language]);
  }
  return all;
}
"""


@pytest.fixture(scope="module")
def words() -> dict[str, dict[str, dict[str, str]]]:
    return run_in_node(FLAT, AREAS)


def test_every_area_has_a_file_in_every_language() -> None:
    assert AREAS
    for language in LANGUAGES:
        assert sorted(path.stem for path in (WORDS / language).glob("*.js")) == AREAS


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_are_those_of_english(words: dict[str, dict[str, dict[str, str]]], language: str) -> None:
    english, other = words["en"], words[language]
    assert sorted(english.keys() - other.keys()) == [], "missing"
    assert sorted(other.keys() - english.keys()) == [], "extra"
    assert [key for key in english if english[key]["kind"] != other[key]["kind"]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_in_a_text_stands_in_its_translation(
    words: dict[str, dict[str, dict[str, str]]], language: str
) -> None:
    english, other = words["en"], words[language]
    functions = [key for key in english if english[key]["kind"] == "function"]
    assert [key for key in functions if english[key]["uses"] != other[key]["uses"]] == []
    empty = [key for key in english if english[key].get("text") == ""]
    assert [key for key in other if other[key].get("text") == ""] == empty


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_in_english(words: dict[str, dict[str, dict[str, str]]], language: str) -> None:
    english, other = words["en"], words[language]
    same = {entry["text"] for key, entry in english.items() if entry.get("text") == other[key].get("text", "")}
    written = {text for text in same if re.search(r"[^\W\d_]{3}", re.sub(r"d_model|P_drop|log p|log P", "", text))}
    assert sorted(written ^ SAME_EVERYWHERE[language]) == []
    functions = {key for key, entry in english.items() if "source" in entry and entry["source"] == other[key]["source"]}
    literals = {key: re.sub(r"\$\{[^}]*\}", "", english[key]["source"].split("=>", 1)[1]) for key in functions}
    assert sorted({key for key in functions if re.search(r"[A-Za-z]{3}", literals[key])} - SAME_FUNCTIONS) == []


def test_every_architecture_is_told_as_the_catalogue_tells_it(words: dict[str, dict[str, dict[str, str]]]) -> None:
    told = {key.split(".")[-1]: entry["text"] for key, entry in words["en"].items() if key.startswith("architectures.")}
    assert told == {known.name: known.summary for known in ARCHITECTURES.values()}


def test_quotation_marks_are_those_of_the_language(words: dict[str, dict[str, dict[str, str]]]) -> None:
    foreign = {"de": "«»”", "es": "“”„"}
    for language, marks in foreign.items():
        texts = chain(*([entry.get("text"), entry.get("source")] for entry in words[language].values()))
        assert [text for text in texts if text and any(mark in text for mark in marks)] == []
