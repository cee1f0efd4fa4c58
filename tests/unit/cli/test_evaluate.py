import json

import pytest


@pytest.fixture
def pairs(tmp_path):
    source, reference = tmp_path / "source", tmp_path / "reference"
    source.write_text("one dog runs\ntwo men talk\nshe reads\n")
    reference.write_text("she reads the old street\none dog\ntwo men talk\n")
    return source, reference


def test_outputs_are_scored_without_a_model(saccade, pairs):
    _, reference = pairs
    report = json.loads(saccade("evaluate", "--hypothesis", reference, "--reference", reference, "--json").out)
    assert {score["metric"]: score["value"] for score in report["scores"]}["exact_match"] == 100
    assert report["buckets"] == []


def test_outputs_with_their_sources_have_a_table_by_length(saccade, pairs):
    source, reference = pairs
    report = json.loads(
        saccade("evaluate", "--hypothesis", source, "--reference", reference, "--source", source, "--json").out
    )
    assert sum(bucket["examples"] for bucket in report["buckets"]) == 3


def test_a_model_is_scored_with_its_perplexity_and_its_outputs_are_kept(saccade, model, pairs, tmp_path):
    source, reference = pairs
    ended = saccade(
        "evaluate", model, "--source", source, "--reference", reference, "--json", "--output", tmp_path / "written"
    )
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["likelihood"]["perplexity"] > 1
    assert (tmp_path / "written").read_text() == saccade("translate", model, source).out


def test_a_score_is_the_sum_of_its_tokens(saccade, model, pairs):
    source, target = pairs
    command = ("score", model, "--source", source, "--target", target)
    plain = saccade(*command).lines
    objects = [json.loads(line) for line in saccade(*command, "--json").lines]
    assert len(plain) == 3
    for line, one in zip(plain, objects, strict=True):
        assert float(line) == pytest.approx(sum(one["token_log_probabilities"]), abs=5e-4 * (one["tokens"] + 1))
        assert len(one["token_log_probabilities"]) == one["tokens"]


def test_scores_of_empty_lines_are_not_left_out(saccade, model, tmp_path):
    (tmp_path / "s").write_text("one dog\n\nshe reads\n")
    (tmp_path / "t").write_text("\ntwo\nmen\n")
    assert len(saccade("score", model, "--source", tmp_path / "s", "--target", tmp_path / "t").lines) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "exactly one"),
        (("--hypothesis", "x"), "`--reference` must be given"),
        (("--hypothesis", "x", "--reference", "x", "--task", "translaton"), "Did you mean 'translation'"),
    ],
)
def test_what_is_missing_is_named(saccade, arguments, message):
    ended = saccade("evaluate", *arguments)
    assert ended.code == 2
    assert message in ended.err


def test_unequal_files_are_refused(saccade, model, tmp_path):
    (tmp_path / "s").write_text("one\ntwo\n")
    (tmp_path / "t").write_text("one\n")
    ended = saccade("score", model, "--source", tmp_path / "s", "--target", tmp_path / "t")
    assert ended.code == 2
    assert "2 and 1" in ended.err


def test_outputs_do_not_replace_a_file_unasked(saccade, model, pairs, tmp_path):
    source, reference = pairs
    place = tmp_path / "written"
    place.write_text("mine")
    command = ("evaluate", model, "--source", source, "--reference", reference, "--output", place)
    ended = saccade(*command)
    assert (ended.code, place.read_text()) == (2, "mine")
    assert "must be a new file, but exists. Choose another name, or add --overwrite." in ended.err
    assert saccade(*command, "--overwrite").code == 0
    assert place.read_text().count("\n") == 3
    ended = saccade(*command[:-1], source, "--overwrite")
    assert (ended.code, source.read_text().splitlines()[0]) == (2, "one dog runs")
