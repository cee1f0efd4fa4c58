"""The shipped German-English model: it translates, and keeps what a line carries."""

import os
from pathlib import Path

import pytest
from bench.shipped.kept_things import lost_things, made_lines
from sacrebleu.metrics.bleu import BLEU

import saccade

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def translator():
    return saccade.load("de-en", device="cpu", engine="auto")


def test_everyday_sentences(translator):
    found = translator.translate(
        ["Wo ist der Bahnhof?", "Ich habe meinen Schlüssel verloren.", "Das Wetter ist schön."]
    )
    assert found == ["Where's the station?", "I lost my key.", "The weather is beautiful."]


def test_what_lines_carry_is_kept(translator):
    lines = made_lines(100, language="de")
    lost = [lost_things(*pair) for pair in zip(lines, translator.translate(lines), strict=True)]
    assert sum(not one for one in lost) >= 98


def test_tatoeba(translator):
    if "SACCADE_DATA" not in os.environ:
        pytest.skip("SACCADE_DATA is not set")
    folder = Path(os.environ["SACCADE_DATA"]) / "tatoeba-en-de"
    sources, references = (
        (folder / f"test.{side}").read_text(encoding="utf-8").split("\n")[:400] for side in ("de", "en")
    )
    assert BLEU().corpus_score(translator.translate(sources), [references]).score >= 56
