"""A model that has learned nothing, calibrated: it may be sure of nothing, and its folder says so."""

import pytest

from saccade.errors import ConfigError, InputError
from saccade.quality.calibration import UNCALIBRATED
from saccade.serving.bundle import Bundle, add_profile
from saccade.serving.calibrate import calibrate, judged_words
from saccade.serving.config_file import CARD
from saccade.serving.loading import load

PAIRS = [(f"A {a}{b}.", f"Un {a}{b}.") for a in "abcdefghij" for b in "abcdefghij"]


@pytest.mark.slow
def test_a_calibrated_model_tells_its_confidence(make_bundle, tmp_path):
    card = "# A model\n\n## Scores\n\nNone.\n\n## Data\n\nNone.\n"
    short = {"size": 1, "alpha": 0.6, "extra_length": 0}
    folder = make_bundle(tmp_path / "model", card=card, target_language="es", decoding=short)
    assert load(folder, device="cpu").translate_batch(["A dog."])[0].nbest[0].confidence is None
    profile = calibrate(folder, PAIRS, device="cpu")
    assert Bundle.load(folder).profile == profile
    assert profile.calibration.certainty is not None
    assert "as unsure" in (folder / CARD).read_text()
    written = (folder / CARD).read_text()
    assert written.index("## Scores") < written.index("## Confidence") < written.index("## Data")
    translator = load(folder, device="cpu")
    options = translator.options(scores=True, repair=False)
    [found] = translator.stream(["A dog runs. She reads."], options)
    values = found.to_json()
    assert 0 <= values["confidence"] == min(one["confidence"] for one in values["sentences"]) <= 1
    assert [one["word"] for one in values["words"]] == found.text.split()
    add_profile(folder, profile)
    assert (folder / CARD).read_text().count("## Confidence") == 1


@pytest.mark.slow
def test_confidences_are_those_of_the_model_whatever_searches(tmp_path, monkeypatch):
    pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    found = []
    for engine in ("torch", "ctranslate2"):
        translator = load("en-es", device="cpu", engine=engine).with_calibration(UNCALIBRATED)
        found.append(list(translator.stream(["The dog is asleep.", "I read a book."], translator.options(scores=True))))
    for ours, theirs in zip(*found, strict=True):
        assert theirs.text == ours.text
        assert theirs.to_json()["token_log_probabilities"] == ours.to_json()["token_log_probabilities"]
        assert theirs.nbest[0].confidence.sentence == pytest.approx(ours.nbest[0].confidence.sentence, abs=1e-4)
        assert [word for word, _ in theirs.nbest[0].confidence.words] == ours.text.split()


def test_what_cannot_be_calibrated_is_refused(make_bundle, tmp_path):
    with pytest.raises(ConfigError, match="two languages"):
        calibrate(make_bundle(tmp_path / "model"), PAIRS, device="cpu")
    with pytest.raises(InputError, match="at least 100 pairs"):
        calibrate(make_bundle(tmp_path / "other", target_language="es"), PAIRS[:9], device="cpu")


def test_a_word_is_right_as_often_as_the_reference_has_it():
    words = [("El", 0.9), ("perro", 0.8), ("perro", 0.7), (".", 0.9), ("el", 0.5)]
    assert judged_words(words, "El perro, el gato.") == [(0.9, True), (0.8, True), (0.7, False), (0.5, True)]
