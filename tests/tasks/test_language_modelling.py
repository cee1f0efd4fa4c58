"""A language model from one text file, all the way through the command line."""

import json
import math

import pytest

from saccade.serving.loading import load


@pytest.fixture(scope="module")
def trained(architectures, saccade, short, write, sentences, tmp_path_factory):
    """A run on one file of text, word by word."""
    folder = tmp_path_factory.mktemp("text")
    text = write(folder / "text.txt", sentences)
    ended = saccade(
        *("train", "--task=language-modelling", f"--source={text}", f"--out={folder / 'run'}"),
        *short(data__pieces="word", model__architecture="bigram", data__valid_lines=17),
    )
    assert ended.returncode == 0, ended.stderr
    return folder / "run"


def test_a_language_model_learns_to_expect_its_text(saccade, trained, write, sentences, tmp_path):
    journal = [json.loads(line) for line in (trained / "journal.jsonl").read_text().splitlines()]
    first, last = (event["word_perplexity"] for event in journal if event["event"] == "validation")
    assert last < 6
    assert last <= first
    # Per word and per token differ only where a word was never seen and is spelled in bytes.
    assert math.log(last) == pytest.approx([event for event in journal if event["event"] == "validation"][-1]["loss"])

    text = write(tmp_path / "more.txt", sentences[:31])
    report = json.loads(saccade("evaluate", trained, "--source", text, "--json").stdout)
    scores = {score["metric"]: score for score in report["scores"]}
    assert scores["word_perplexity"]["value"] == pytest.approx(scores["perplexity"]["value"])
    assert scores["word_perplexity"]["interval"]["low"] < scores["word_perplexity"]["value"]
    assert report["lines"] == sum(bucket["examples"] for bucket in report["buckets"]) == 31

    logs = [float(line) for line in saccade("score", trained, "--source", text).stdout.splitlines()]
    words = sum(len(line.split()) + 1 for line in sentences[:31])
    assert math.exp(-sum(logs) / words) == pytest.approx(scores["word_perplexity"]["value"], rel=1e-4)

    card = (trained / "model" / "card.md").read_text()
    assert "perplexity per word" in card


def test_a_language_model_continues_what_it_is_given(saccade, trained):
    found = saccade("translate", trained, "the dog", "my", "", "--nbest", "2", "--beam", "4").stdout.splitlines()
    assert [line.split("\t")[0] for line in found] == ["1", "1", "2", "2", "3", "3"]
    texts = [line.split("\t")[1] for line in found]
    assert all(text.startswith("the dog ") for text in texts[:2])
    assert all(text.startswith("my sister ") for text in texts[2:4])
    assert all(text.split()[0] in ("the", "a", "my") for text in texts[4:])


def test_drawing_continues_too_and_otherwise_for_another_seed(saccade, trained):
    once = saccade("translate", trained, "a cat", "a cat", "--sample", "--seed", "1").stdout.splitlines()
    again = saccade("translate", trained, "a cat", "a cat", "--sample", "--seed", "1").stdout.splitlines()
    other = saccade("translate", trained, "a cat", "a cat", "--sample", "--seed", "2").stdout.splitlines()
    assert once == again
    assert once != other
    assert all(line.startswith("a cat ") for line in once + other)


def test_a_beginning_longer_than_the_extra_length_is_continued(trained):
    model = load(trained, device="cpu")
    beginning = "the dog sees a ball number " * 19 + "the"
    [found] = model.stream([beginning])
    assert found.text.startswith(beginning)
    assert len(found.text) > len(beginning)


def test_a_second_file_is_refused(saccade, write, tmp_path):
    text = write(tmp_path / "text.txt", ["one two"] * 40)
    ended = saccade(
        "train", "--task=language-modelling", f"--source={text}", f"--target={text}", f"--out={tmp_path}/run"
    )
    assert ended.returncode == 2
    assert "`target` must be left out where there is only text" in ended.stderr


def test_an_empty_file_is_refused(saccade, tmp_path):
    (tmp_path / "text.txt").touch()
    ended = saccade("train", "--task=language-modelling", f"--source={tmp_path}/text.txt", f"--out={tmp_path}/run")
    assert ended.returncode == 2
    assert "must hold at least one line, but is empty" in ended.stderr


def test_empty_lines_are_left_out_and_counted(saccade, short, write, sentences, tmp_path):
    text = write(tmp_path / "text.txt", [*sentences, "", "  "])
    ended = saccade(
        *("train", "--task=language-modelling", f"--source={text}", f"--out={tmp_path}/run"),
        *short(model__architecture="bigram", data__pieces="word", training__steps=2),
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / "run" / "data" / "report.json").read_text())
    assert report["splits"]["train"]["left_out"]["empty"]["count"] == 2


def test_no_held_out_line_is_trained_on(trained, sentences):
    report = json.loads((trained / "data" / "report.json").read_text())["splits"]
    held_out = (trained / "data" / "valid.target.txt").read_text().splitlines()
    assert held_out
    assert report["valid"]["kept"] == sum(line in set(held_out) for line in sentences)
    assert (trained / "data" / "valid.source.txt").read_text() == "\n" * len(held_out)
    assert report["train"]["kept"] == sum(line not in set(held_out) for line in sentences)


def test_an_architecture_that_translates_is_refused(saccade, write, tmp_path):
    text = write(tmp_path / "text.txt", ["one two"] * 40)
    ended = saccade(
        *("train", "--task=language-modelling", f"--source={text}", f"--out={tmp_path}/run"),
        "--set=model.architecture=transformer",
    )
    assert ended.returncode == 2
    assert "'transformer' does translation" in ended.stderr
    assert "bigram" in ended.stderr


def test_outputs_cannot_be_scored_as_text(saccade, write, tmp_path):
    text = write(tmp_path / "text.txt", ["one two"])
    ended = saccade("evaluate", "--hypothesis", text, "--reference", text, "--task", "language-modelling")
    assert ended.returncode == 2
    assert "`--hypothesis` must be left out for language-modelling" in ended.stderr
