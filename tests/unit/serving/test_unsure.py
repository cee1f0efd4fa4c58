"""Outputs that a model was not sure of are told, the same beside whatever lines; nothing else is done."""

from dataclasses import replace

import pytest
import torch
from bench.hard_lines.scoring import hard_lines

from saccade.decoding.sampling import SamplingConfig
from saccade.quality.calibration import UNCALIBRATED
from saccade.quality.certainty import CertaintyBound, certainty
from saccade.serving.loading import load
from saccade.serving.problems import Problems
from saccade.serving.reranking import Reranker
from saccade.serving.translator import Translator
from saccade.serving.unsure import NEAR, doubts

TEXTS = ["A dog runs.", "She reads.", "Two men are talking in the street."]


@pytest.fixture(scope="module")
def folder(make_bundle, tmp_path_factory):
    short = {"size": 2, "alpha": 0.6, "extra_length": 2}
    return make_bundle(tmp_path_factory.mktemp("unsure") / "model", decoding=short, target_language="es")


@pytest.fixture(scope="module")
def translator(folder):
    return load(folder, device="cpu")


def bounded(translator: Translator, lowest: float) -> Translator:
    return translator.with_calibration(replace(UNCALIBRATED, certainty=CertaintyBound(lowest)))


def certainties(translator: Translator) -> list[float]:
    found = translator.translate_batch(TEXTS, scores=True)
    return [certainty(one.log_probability, len(one.nbest[0].token_log_probabilities)) for one in found]


def are_unsure(translator: Translator, **options) -> list[bool]:
    return [any(fault.kind == "unsure" for fault in one.faults) for one in translator.translate_batch(TEXTS, **options)]


@pytest.mark.parametrize("options", [{}, {"scores": True}, {"repair": False}, {"repair": "all"}])
def test_only_outputs_that_are_less_certain_than_the_bound_are_told(translator, options):
    own = certainties(translator)
    middle = sum(sorted(own)[:2]) / 2
    if options.get("repair") != "all":  # with it other outputs are found
        assert are_unsure(bounded(translator, middle), **options) == [one < middle for one in own]
    assert are_unsure(bounded(translator, 1.0), **options) == [True] * 3
    assert are_unsure(bounded(translator, -99.0), **options) == [False] * 3
    assert are_unsure(translator.with_calibration(UNCALIBRATED), **options) == [False] * 3


def test_nothing_is_searched_again_because_of_it(translator):
    plain, told = (bounded(translator, lowest).translate_batch(TEXTS, repair="all") for lowest in (-99.0, 1.0))
    assert [one.nbest for one in told] == [one.nbest for one in plain]
    assert [one.repaired for one in told] == [one.repaired for one in plain]
    assert [one.faults[:-1] for one in told] == [one.faults for one in plain]


def test_near_the_bound_the_last_digits_of_a_search_do_not_decide(translator):
    lines = translator._pipeline.lines
    [line] = translator._pipeline.reader.read([(1, (TEXTS[0], ""))], False)
    [[true]] = lines._find([line], translator.options())
    root = len(true.tokens) ** 0.5
    scores, search = lines.engines.stable_scores, translator.search
    for lowest, expected in ((0.3 * NEAR, True), (-0.3 * NEAR, False)):
        bound = CertaintyBound(certainty(true.log_probability, len(true.tokens)) + lowest)
        for error in (-0.6 * NEAR, 0.6 * NEAR):
            engine = replace(true, token_log_probabilities=None, log_probability=true.log_probability + root * error)
            [faults] = doubts(bound, scores, [(line, engine)], search, settled=False)
            assert bool(faults) is expected


def test_what_is_drawn_or_begun_by_the_user_is_not_doubted(translator):
    strict = bounded(translator, 1.0)
    assert are_unsure(strict, sampling=SamplingConfig()) == [False] * 3
    assert are_unsure(strict, prefix="A") == [False] * 3


def test_the_candidate_that_other_models_put_first_is_judged(translator, make_bundle, tmp_path):
    other = load(make_bundle(tmp_path / "other", seed=9, target_language="es"), device="cpu")
    options = {"beam": 4, "rerank": Reranker([other], weight=1.0), "scores": True}
    for one in translator.translate_batch(TEXTS, **options):
        own = certainty(one.log_probability, len(one.nbest[0].token_log_probabilities))
        for lowest, expected in ((own + 0.01, True), (own - 0.01, False)):
            [found] = bounded(translator, lowest).translate_batch([one.source], **options)
            assert any(fault.kind == "unsure" for fault in found.faults) is expected


def test_it_is_told_in_json_by_sentences_and_in_the_line_that_counts_faults(translator):
    [found] = bounded(translator, 1.0).translate_batch(["A dog runs. She reads."], scores=True)
    values = found.to_json()
    told = {"fault": "unsure", "what": "less certain than 90% of held-out text"}
    assert values["faults"].count(told) == 2
    assert all(told in one["faults"] for one in values["sentences"])
    problems = Problems()
    problems.add_faults([fault for fault in found.faults if fault.kind == "unsure"], [])
    assert problems.summary(1, "translated") == "1 of 1 lines may be wrong: 1 unsure."


def test_an_ensemble_has_no_bound(folder):
    bundle = load(folder, device="cpu").bundle
    assert Translator([bundle, bundle], torch.device("cpu")).calibration is None


@pytest.mark.slow
def test_the_shipped_model_is_unsure_of_a_hard_sentence_whatever_searches(tmp_path, monkeypatch):
    pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    hard = next(line.source for line in hard_lines() if line.source.startswith("The house has a kitchen"))
    for engine in ("torch", "ctranslate2"):
        translator = load("en-es", device="cpu", engine=engine)
        for scores in (False, True):
            found = translator.translate_batch([hard, "The dog sleeps."], scores=scores)
            assert [fault.kind for fault in found[0].faults] == ["unsure"]
            assert found[1].faults == ()
