import json
import math

import pytest

from saccade.data.tasks import TASKS
from saccade.errors import InputError
from saccade.evaluation.evaluate import evaluate, evaluate_text, main_score
from saccade.evaluation.perplexity import Likelihood

TRANSLATION, PRONUNCIATION = TASKS["translation"], TASKS["pronunciation"]
SOURCES = ["a dog runs over the grass", "two men talk to each other", "the house is red"]
HYPOTHESES = ["ein Hund läuft über das Gras", "zwei Männer reden miteinander", "das Haus war rot"]
REFERENCES = ["ein Hund rennt über das Gras", "zwei Männer sprechen miteinander", "das Haus war rot"]


def test_translation_is_scored_in_four_ways():
    report = evaluate(TRANSLATION, SOURCES, HYPOTHESES, REFERENCES, target_language="de", resamples=7)
    assert [score.metric for score in report.scores] == ["bleu", "chrf", "compound_split_bleu", "exact_match"]
    assert all(score.interval is not None for score in report.scores)


def test_compounds_are_not_split_where_words_have_no_spaces():
    report = evaluate(
        TRANSLATION, ["a b"], ["我们今天去公园。"], ["我们今天去公园。"], target_language="zh", resamples=7
    )
    assert [score.metric for score in report.scores] == ["bleu", "chrf", "exact_match"]


def test_pronunciation_is_scored_by_its_own_metrics_in_characters():
    report = evaluate(PRONUNCIATION, ["a", "a", "by"], ["EY", "EY", "B"], ["AH", "EY", "B AY"], resamples=7)
    assert [(score.metric, score.examples) for score in report.scores] == [
        ("phoneme_error_rate", 2),
        ("word_error_rate", 2),
    ]
    assert report.lines == 3
    assert report.length_unit == "characters"
    assert report.buckets[0].examples == 2


def test_sources_without_spaces_are_measured_in_characters():
    report = evaluate(TRANSLATION, ["我们今天去公园。"], ["we go"], ["we go"], source_language="zh", resamples=0)
    assert report.length_unit == "characters"


def test_a_bucket_that_holds_everything_has_the_score_of_everything():
    report = evaluate(TRANSLATION, SOURCES, HYPOTHESES, REFERENCES, resamples=0)
    assert [dict(bucket.values) for bucket in report.buckets] == [
        {metric: report[metric].value for metric in ("bleu", "chrf")}
    ]


@pytest.mark.parametrize("task", [TRANSLATION, PRONUNCIATION], ids=lambda task: task.name)
def test_main_score_is_the_reports(task):
    score = main_score(task, SOURCES, HYPOTHESES, REFERENCES)
    assert score.value == evaluate(task, SOURCES, HYPOTHESES, REFERENCES, resamples=0).main.value
    assert score.metric == task.main_metric


def test_unequal_counts_are_refused():
    with pytest.raises(InputError, match="have 3, 2 and 3"):
        evaluate(TRANSLATION, SOURCES, HYPOTHESES[:2], REFERENCES)


@pytest.mark.slow
def test_multi30k_against_itself_is_perfect(corpora):
    folder = corpora / "multi30k"
    english, german = (
        (folder / f"test_2016_flickr.{language}").read_text(encoding="utf-8").rstrip("\n").split("\n")
        for language in ("en", "de")
    )
    report = evaluate(TRANSLATION, english, german, german, target_language="de", resamples=0)
    assert all(score.value == pytest.approx(100) for score in report.scores)
    assert sum(bucket.examples for bucket in report.buckets) == 1000


def test_labels_are_scored_by_accuracy_with_a_table_of_confusions():
    report = evaluate(TASKS["classification"], ["a b c", "d e", "f"], ["x", "y", "y"], ["x", "y", "x"], resamples=7)
    assert [score.metric for score in report.scores] == ["accuracy"]
    assert report.main.value == pytest.approx(200 / 3)
    assert report.confusion.counts == ((1, 1), (0, 1))
    assert "as y" in report.to_text()


def test_text_is_scored_by_its_likelihood_and_by_the_length_of_its_lines():
    lines = ["a b c"] * 13 + ["a b c d e f g"] * 11
    likelihoods = [Likelihood(5.0, 4)] * 13 + [Likelihood(23.0, 8)] * 11
    report = evaluate_text(TASKS["language-modelling"], lines, likelihoods, resamples=7)
    assert [score.metric for score in report.scores] == ["perplexity", "word_perplexity"]
    assert report.main.value == pytest.approx(math.exp((13 * 5 + 11 * 23) / (13 * 4 + 11 * 8)))
    values = {bucket.label: bucket.values["word_perplexity"] for bucket in report.buckets}
    assert sorted(values.values()) == pytest.approx([math.exp(5 / 4), math.exp(23 / 8)])
    assert sum(bucket.examples for bucket in report.buckets) == 24


def test_a_report_of_text_that_cannot_be_is_still_json():
    report = evaluate_text(TASKS["language-modelling"], ["a"], [Likelihood(math.inf, 2)], resamples=0)
    assert json.loads(report.to_json())["scores"][0]["value"] is None
