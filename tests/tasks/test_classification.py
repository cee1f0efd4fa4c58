"""A classifier from sentences and labels, all the way through the command line."""

import json
import math

import pytest

LABELS = {"dog": "an animal", "cat": "an animal", "sister": "person"}


def labelled(sentences):
    return [next(label for word, label in LABELS.items() if word in line) for line in sentences]


@pytest.fixture(scope="module")
def files(write, sentences, tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    return write(folder / "text.txt", sentences), write(folder / "labels.txt", labelled(sentences))


@pytest.fixture(scope="module")
def trained(architectures, saccade, short, files):
    out = files[0].with_name("run")
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={files[1]}", f"--out={out}"),
        *short(model__architecture="bag", data__source_pieces="word", training__steps=40),
    )
    assert ended.returncode == 0, ended.stderr
    return out


def test_a_classifier_learns_labels_and_says_which_it_confuses(saccade, trained, files, write, tmp_path):
    report = json.loads(saccade("evaluate", trained, "--source", files[0], "--reference", files[1], "--json").stdout)
    [accuracy] = report["scores"]
    assert (accuracy["metric"], accuracy["value"]) == ("accuracy", 100)
    assert report["confusion"]["labels"] == ["an_animal", "person"]
    assert [sum(row) for row in report["confusion"]["counts"]] == [
        labelled(files[0].read_text().splitlines()).count(label) for label in ("an animal", "person")
    ]
    page = saccade("evaluate", trained, "--source", files[0], "--reference", files[1]).stdout
    assert "as person" in page
    assert "recall" in page


def test_translating_gives_the_label_and_its_probability(saccade, trained):
    lines = saccade(
        "translate", trained, "my sister sees bread", "--json", "--nbest", "2", "--beam", "3"
    ).stdout.splitlines()
    first, second = json.loads(lines[0])["nbest"]
    assert (first["text"], second["text"]) == ("person", "an_animal")
    total = sum(math.exp(one["log_probability"]) for one in (first, second))
    assert total == pytest.approx(1, abs=1e-3)
    assert first["token_log_probabilities"][1] == pytest.approx(0, abs=1e-6)  # that the label is the last word is sure


def test_one_file_with_both_sides_gives_the_same_model(saccade, short, trained, files, write, tmp_path):
    texts, labels = (path.read_text().splitlines() for path in files)
    both = write(tmp_path / "both.tsv", [f"{text}\t{label}" for text, label in zip(texts, labels, strict=True)])
    ended = saccade(
        *("train", "--task=classification", f"--source={both}", f"--out={tmp_path}/other"),
        *short(model__architecture="bag", data__source_pieces="word", training__steps=40),
    )
    assert ended.returncode == 0, ended.stderr
    one, other = (run / "model" / "weights.safetensors" for run in (trained, tmp_path / "other"))
    assert one.read_bytes() == other.read_bytes()


def test_a_label_unseen_in_training_is_refused_for_validation(saccade, short, files, write, tmp_path):
    texts, labels = write(tmp_path / "v", ["a dog", "an oak"]), write(tmp_path / "l", ["an animal", "plant"])
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={files[1]}", f"--out={tmp_path}/run"),
        *(f"--valid-source={texts}", f"--valid-target={labels}", *short(model__architecture="bag")),
    )
    assert ended.returncode == 2
    assert (
        f"`{labels}:2` must have a label that occurs in training (an_animal, person), but has 'plant'" in ended.stderr
    )


def test_a_label_unseen_in_training_is_wrong_in_a_test(saccade, trained, write, tmp_path):
    texts, labels = write(tmp_path / "v", ["the dog", "an oak"]), write(tmp_path / "l", ["an animal", "plant"])
    report = json.loads(saccade("evaluate", trained, "--source", texts, "--reference", labels, "--json").stdout)
    assert report["scores"][0]["value"] == 50
    assert "plant" in report["confusion"]["labels"]


def test_labels_for_fewer_sentences_are_refused(saccade, short, files, write, tmp_path):
    fewer = write(tmp_path / "fewer.txt", files[1].read_text().splitlines()[:-3])
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={fewer}", f"--out={tmp_path}/run"),
        *short(model__architecture="bag"),
    )
    assert ended.returncode == 2
    assert "must have the same number of lines, but have 211 and 208" in ended.stderr


def test_one_label_for_all_is_refused(saccade, short, files, write, tmp_path):
    same = write(tmp_path / "same.txt", ["person"] * 211)
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={same}", f"--out={tmp_path}/run"),
        *short(model__architecture="bag"),
    )
    assert ended.returncode == 2
    assert "must have at least two different labels, but every line has 'person'" in ended.stderr


def test_sentences_where_labels_should_be_are_refused(saccade, short, files, write, tmp_path):
    names = write(tmp_path / "names.txt", [f"sentence {number}" for number in range(211)])
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={names}", f"--out={tmp_path}/run"),
        *short(model__architecture="bag"),
    )
    assert ended.returncode == 2
    assert "must repeat its labels, but has 211 different ones for 211 texts" in ended.stderr


def test_smoothing_is_refused(saccade, short, files, tmp_path):
    ended = saccade(
        *("train", "--task=classification", f"--source={files[0]}", f"--target={files[1]}", f"--out={tmp_path}/run"),
        *short(model__architecture="bag", training__label_smoothing=0.1),
    )
    assert ended.returncode == 2
    assert "`training.label_smoothing` must be 0.0 for classification, but is 0.1" in ended.stderr


def test_labels_given_by_others_are_scored(saccade, write, tmp_path):
    given, right = (
        write(tmp_path / "given", ["very good", "bad"]),
        write(tmp_path / "right", ["very_good", "very  good"]),
    )
    ended = saccade("evaluate", "--hypothesis", given, "--reference", right, "--task", "classification", "--json")
    report = json.loads(ended.stdout)
    assert report["scores"][0]["value"] == 50
    assert report["confusion"] == {"labels": ["bad", "very_good"], "counts": [[0, 0], [1, 1]]}
