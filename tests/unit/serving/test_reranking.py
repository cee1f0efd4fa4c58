"""Reranked lists against a brute-force rescoring with `score`."""

import json
from dataclasses import replace

import pytest
from tests.unit.serving.conftest import CONFIG, SENTENCES

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, LineError
from saccade.models.catalogue import build
from saccade.models.rnn_language_model import RNNLanguageModelConfig
from saccade.serving.loading import load
from saccade.serving.rerank_tuning import tune_weight
from saccade.serving.reranking import Reranker
from saccade.serving.translator import Translator

LINES = ["Two men are talking.", "", "A dog runs."]
ALPHA, BEAM = 0.6, 4


@pytest.fixture(scope="module")
def translator(folder) -> Translator:
    return load(folder, device="cpu")


@pytest.fixture(scope="module")
def other(make_bundle, tmp_path_factory) -> Translator:
    """A model with pieces of its own."""
    tokenizer = Tokenizer.train(SENTENCES, pieces="character", size=300)
    model = build("transformer", CONFIG, tokenizer.size, tokenizer.size).eval()
    changes = {"model": model, "source_tokenizer": tokenizer, "target_tokenizer": tokenizer}
    return load(make_bundle(tmp_path_factory.mktemp("models") / "other", **changes), device="cpu")


@pytest.fixture(scope="module")
def language_model(make_bundle, tokenizer, tmp_path_factory) -> Translator:
    config = RNNLanguageModelConfig(width=13, maximum_length=64)
    model = build("rnn-language-model", config, tokenizer.size, tokenizer.size).eval()
    changes = {"model": model, "architecture": "rnn-language-model", "model_config": config}
    changes["task"] = "language-modelling"
    return load(make_bundle(tmp_path_factory.mktemp("models") / "lm", **changes), device="cpu")


def penalised(scored):
    return scored.log_probability / ((5 + scored.tokens) / 6) ** ALPHA


def test_the_order_is_that_of_rescoring_every_hypothesis(translator, other, language_model):
    weight = 0.3
    reranker = Reranker([other, language_model], [translator], weight)
    found = translator.translate_batch(LINES, beam=BEAM, nbest=3, rerank=reranker)
    whole = translator.translate_batch(LINES, beam=BEAM, nbest=BEAM)
    assert found[1].text == ""
    for line, list_, first in zip(LINES, whole, found, strict=True):
        if not line:
            continue
        expected = []
        for candidate in list_.nbest:
            [mine] = other.score([(line, candidate.text)])
            [text_alone] = language_model.score([("", candidate.text)])
            [backwards] = translator.score([(line, " ".join(candidate.text.split()[::-1]))])
            others = [penalised(mine), penalised(text_alone), penalised(backwards)]
            expected.append((candidate.text, (1 - weight) * candidate.score + weight * sum(others) / 3, others))
        expected.sort(key=lambda one: -one[1])
        assert first.texts == [text for text, _, _ in expected[:3]]
        for candidate, (_, score, others) in zip(first.nbest, expected, strict=False):
            assert candidate.score == pytest.approx(score, abs=1e-4)
            assert candidate.reranked.others == pytest.approx(others, abs=1e-4)


def test_other_models_can_change_the_order(translator, other):
    changed = translator.translate(LINES, beam=BEAM, rerank=Reranker([other], weight=1.0))
    assert changed != translator.translate(LINES, beam=BEAM)


def test_json_has_both_scores(translator, other):
    [found] = translator.translate_batch(LINES[:1], nbest=2, rerank=Reranker([other]))
    written = json.loads(json.dumps(found.to_json()))["nbest"][0]
    assert written["score"] == pytest.approx((written["search_score"] + written["rerank_scores"][0]) / 2, abs=2e-3)


def test_what_another_model_cannot_read_is_refused_by_line(translator, other, tokenizer):
    long = "Two men are talking in the street behind the old school of the town on the grass this year."
    assert len(tokenizer.encode([long])[0]) < CONFIG.maximum_length <= len(other.source_tokenizer.encode([long])[0])
    with pytest.raises(LineError, match=r"line 2 must be short enough for every model of `rerank`"):
        translator.translate(["A dog runs.", long], beam=1, rerank=Reranker([other]), on_error="stop")
    kept = translator.translate(["A dog runs.", long], beam=1, rerank=Reranker([other]), on_error="copy")
    assert kept[1] == long


def test_tuning_tries_weights_from_the_search_alone_to_the_others_alone(translator, other):
    pairs = [(line, "Nobody knows why the dog runs.") for line in LINES if line]
    tuned = tune_weight(translator, pairs, translator.options(beam=BEAM, rerank=Reranker([other])))
    assert set(tuned.scores) == {place / 10 for place in range(11)}
    assert tuned.scores[tuned.best].merit == max(score.merit for score in tuned.scores.values())
    assert f"best: --rerank-weight {tuned.best}" in tuned.to_text()


def test_what_cannot_be_reranked_is_refused(translator, other, language_model):
    with pytest.raises(ConfigError, match="weight of reranking must be from 0 to 1, but is 1.5"):
        Reranker([other], weight=1.5)
    with pytest.raises(ConfigError, match="at least one other model"):
        Reranker([])
    with pytest.raises(ConfigError, match="`rerank` must not come with `sampling`"):
        translator.translate(LINES, sampling=SamplingConfig(), rerank=Reranker([other]))
    with pytest.raises(ConfigError, match="must name language models where one continues a text"):
        language_model.translate(LINES, rerank=Reranker([other]))
    with pytest.raises(ConfigError, match="`rerank` must name the models"):
        tune_weight(translator, [("a", "b")], replace(translator.options(), rerank=None))
