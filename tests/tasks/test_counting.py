"""A model that counts, all the way through the command line: checkpoint, bundle, journal, card, and going on."""

import json
import math
from collections import Counter

import pytest
from safetensors.torch import load_file

from saccade.data.prepared_corpus import open_prepared
from saccade.errors import FormatError
from saccade.serving.loading import load


@pytest.fixture
def command(short, write, sentences, tmp_path):
    text = write(tmp_path / "text.txt", sentences)
    return (
        *("train", "--task=language-modelling", f"--source={text}", f"--out={tmp_path / 'run'}"),
        *short(data__pieces="word", model__architecture="unigram"),
    )


def test_every_pair_is_counted_once(saccade, command, tmp_path):
    ended = saccade(*command)
    assert ended.returncode == 0, ended.stderr
    run = tmp_path / "run"
    store = open_prepared(run / "data").train[0]
    expected = Counter(int(token) for index in range(len(store)) for token in [*store[index][1], 1])
    tables = load_file(run / "model" / "weights.safetensors")
    assert tables["tokens"].tolist() == sorted(expected)
    found = dict(zip(tables["tokens"].tolist(), tables["frequencies"].tolist(), strict=True))
    assert found == pytest.approx({token: count / expected.total() for token, count in expected.items()})
    events = [json.loads(line)["event"] for line in (run / "journal.jsonl").read_text().splitlines()]
    assert events == ["start", "counted", "validation", "checkpoint", "stop"]
    assert "unigram" in (run / "model" / "card.md").read_text()


def test_a_stored_model_has_the_tables_that_were_counted(saccade, command, tmp_path):
    assert saccade(*command).returncode == 0
    model = load(tmp_path / "run", device="cpu")
    tables = load_file(tmp_path / "run" / "model" / "weights.safetensors")
    dog = model.target_tokenizer.encode(["dog"])[0][0]
    place = tables["tokens"].tolist().index(dog)
    [scored] = model.score([("", "dog")])
    assert scored.token_log_probabilities[0] == pytest.approx(math.log(tables["frequencies"][place]), abs=1e-4)


def test_what_was_counted_is_not_counted_again(saccade, command, tmp_path):
    assert saccade(*command).returncode == 0
    run = tmp_path / "run"
    weights = (run / "model" / "weights.safetensors").read_bytes()
    (run / "result.json").unlink()  # as if it had been killed while it was being scored
    assert saccade(*command).returncode == 0
    assert (run / "model" / "weights.safetensors").read_bytes() == weights
    events = [json.loads(line)["event"] for line in (run / "journal.jsonl").read_text().splitlines()]
    assert events.count("counted") == 1


def test_tables_that_are_missing_are_named(saccade, command, tmp_path):
    from saccade.weights import restore_weights

    assert saccade(*command).returncode == 0
    model = load(tmp_path / "run", device="cpu").model
    with pytest.raises(FormatError, match="frequencies is missing"):
        restore_weights(model, {"tokens": model.tokens[:3]})
