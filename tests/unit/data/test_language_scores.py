"""The short way to a language says what py3langid says, or nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data import language_scores
from saccade.data.language_identification import identifier
from saccade.data.language_scores import LanguageScores

TEXTS = [
    "Los niños juegan en el parque desde la tarde hasta la noche.",
    "The children play in the park until it gets dark.",
    "DIE KINDER SPIELEN IM PARK, BIS ES DUNKEL WIRD.",
    "Деца се играју у парку док не падне мрак.",
    "  \n\t  1234  ",
]
WORDS = [word for text in TEXTS for word in text.split()]


@pytest.fixture(scope="module", params=["all languages", "groups"])
def scores(request):
    made = LanguageScores(identifier())
    if request.param == "groups":
        made._tables = {code: made._grouped(code) for code in ("en", "es", "de", "sr", "pt")}
    return made


@pytest.mark.parametrize("text", TEXTS)
def test_features_are_those_of_reading_byte_by_byte(scores, text):
    content = text.encode()
    state, expected = 0, []
    model = identifier()
    for byte in content:
        state = model.tk_nextmove[(model.tk_row[state] << 8) + byte]
        expected += [model.tk_output[state]] if model.tk_output[state] >= 0 else []
    assert scores._visited(content) == expected
    assert scores._visited(content) == expected  # remembered


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join) | st.text(max_size=30),
    st.sampled_from(["en", "es", "de", "sr", "pt"]),
    st.sampled_from([0.5, 0.05, 0.01]),
)
def test_what_is_allowed_is_not_improbable(scores, text, code, improbable):
    probabilities = dict(identifier().rank(text))
    if scores.surely_allow(code, text, improbable):
        assert probabilities[code] >= improbable * max(probabilities.values())


def test_no_language_scores_more_than_its_group():
    model, features = identifier(), [3, 1_000, 77_777]
    table = LanguageScores(model)._grouped("es")
    scores = sorted(model.nb_ptc[features].astype(float).sum(axis=0) + model.nb_pc, reverse=True)
    bounds = table.weights[features].astype(float).sum(axis=0) + table.prior
    assert len(bounds) < len(scores) / 5
    own = model.nb_classes.index("es")
    assert bounds[0] == pytest.approx(model.nb_ptc[features, own].astype(float).sum() + model.nb_pc[own])
    assert max(bounds) >= scores[0] - 1e-4


def test_a_language_that_is_asked_for_often_gets_a_table(monkeypatch):
    monkeypatch.setattr(language_scores, "OFTEN", 2)
    monkeypatch.setattr(language_scores, "MOST_TABLES", 1)
    scores = LanguageScores(identifier())
    for code in ("es", "en", "es", "en"):
        scores.surely_allow(code, TEXTS[0], 0.05)
    assert list(scores._tables) == ["es"]


def test_a_language_that_is_plain_is_allowed(scores):
    for code, text in zip(("es", "en", "de", "sr"), TEXTS, strict=False):
        assert scores.surely_allow(code, text, 0.05)
    assert not scores.surely_allow("es", TEXTS[1], 0.05)


def test_words_are_forgotten_when_there_are_many(scores, monkeypatch):
    monkeypatch.setattr(language_scores, "MOST_WORDS", 5)
    expected = [LanguageScores(identifier())._visited(text.encode()) for text in TEXTS]
    assert [scores._visited(text.encode()) for text in TEXTS] == expected
    assert len(scores._read) <= 5 + max(len(text.split(" ")) for text in TEXTS)
