import json
from dataclasses import replace

import pytest

from saccade.data.tasks import TASKS
from saccade.evaluation.evaluate import evaluate
from saccade.evaluation.perplexity import Likelihood


@pytest.fixture
def report():
    return evaluate(
        TASKS["translation"],
        ["one two three"] * 5,
        ["eins zwei drei vier fünf"] * 5,
        ["eins zwei drei vier sechs"] * 5,
        target_language="de",
        likelihood=Likelihood(11.0, 13),
        resamples=7,
    )


def test_compounds_are_split_for_german_readers_alone(report):
    spanish = replace(report, target_language="es")
    assert "compound-split" in report.to_text()
    assert "compound" not in spanish.to_text()
    assert spanish.to_json() == report.to_json()


def test_json_holds_every_score_with_its_signature(report):
    data = json.loads(report.to_json())
    assert {score["metric"]: score["value"] for score in data["scores"]} == {
        score.metric: score.value for score in report.scores
    }
    assert all(score["signature"] for score in data["scores"])
    assert data["likelihood"]["perplexity"] == report.likelihood.perplexity
    assert data["lines"] == 5
    assert set(data["versions"]) == {"saccade", "sacrebleu", "python"}


def test_json_of_an_infinite_perplexity_is_still_json():
    hopeless = evaluate(TASKS["translation"], ["a"], ["b"], ["c"], likelihood=Likelihood(1e9, 1), resamples=0)
    assert json.loads(hopeless.to_json())["likelihood"]["perplexity"] is None


def test_text_names_labels_values_signatures_and_buckets(report):
    text = report.to_text()
    assert "not comparable with sacreBLEU" in text
    assert f"{report['bleu'].value:.2f}" in text
    assert report["chrf"].signature in text
    assert f"{report.likelihood.perplexity:.2f}" in text
    assert report.buckets[0].label in text


def test_lines_of_the_text_do_not_end_in_spaces(report):
    assert all(line == line.rstrip() for line in report.to_text().split("\n"))


def test_without_buckets_the_text_has_no_table_by_length(report):
    assert "source words" in report.to_text()
    assert "source words" not in replace(report, buckets=()).to_text()


def test_numbers_are_aligned_to_the_right_and_names_to_the_left(report):
    lines = report.to_text().split("\n\n")[1].split("\n")
    assert lines[0].split() == ["source", "words", "of", "bleu", "chrf"]
    assert lines[1].startswith("1+ ")
    for column in ("of", "bleu", "chrf"):
        end = lines[0].index(column) + len(column)
        assert lines[1][end - 1].isdigit()
        assert lines[1][end : end + 1] in ("", " ")
