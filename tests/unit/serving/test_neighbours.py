"""What the engines for a CPU write for a sentence does not depend on the sentences it is searched with."""

import os
import random
from pathlib import Path

import pytest

from saccade.interop.ctranslate2 import installed
from saccade.kernels import cpu_library
from saccade.serving.loading import load
from saccade.serving.translator import Translator

TEXTS = ("No.", "Where is the station?", "She has been living in Madrid for seven years.", "I hope so.", "Yes, he did.")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            "torch ", marks=pytest.mark.skipif(cpu_library.load() is None, reason="the library was not built")
        ),
        pytest.param("CTranslate2 ", marks=pytest.mark.skipif(not installed(), reason="ctranslate2 is not installed")),
    ],
)
def translator(tmp_path_factory, request) -> Translator:
    """The engine of its own choice, with our library and without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        if request.param != "torch ":
            patch.setattr(cpu_library, "load", lambda: None)
        translator = load("en-es", device="cpu", engine="auto")
        assert translator.engine().description.startswith(request.param)
        return translator


def found(translator: Translator, texts: list[str], batch_tokens: int) -> dict[str, tuple[str, float]]:
    lines = translator.translate_batch(texts, batch_tokens=batch_tokens, repair=False, protect=False)
    return {line.source: (line.text, line.score) for line in lines}


def check_that_batches_change_nothing(translator: Translator, texts: list[str]) -> None:
    alone = found(translator, texts, 1)
    assert found(translator, texts, 384) == alone
    assert found(translator, random.Random(1).sample(texts, len(texts)), 1500) == alone


def test_neighbours_change_no_bit_of_a_score(translator):
    check_that_batches_change_nothing(translator, list(TEXTS))


@pytest.mark.slow
@pytest.mark.skipif("SACCADE_DATA" not in os.environ, reason="SACCADE_DATA is not set")
def test_neighbours_change_nothing_in_hundreds_of_lines(translator):
    path = Path(os.environ["SACCADE_DATA"]) / "tatoeba-en-es" / "test.en"
    check_that_batches_change_nothing(
        translator, list(dict.fromkeys(path.read_text(encoding="utf-8").splitlines()))[:400]
    )
