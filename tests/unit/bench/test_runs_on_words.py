"""How the experiments on words of the dictionary set up their runs."""

import argparse
import sys

import pytest
from bench.lineage import averaging, rnn_encoder_decoder
from bench.lineage.rnn_encoder_decoder import TRAINING, runs_on_words


@pytest.fixture
def asked(monkeypatch, tmp_path):
    monkeypatch.setattr(rnn_encoder_decoder, "written", lambda folder: {"source": str(folder / "source.txt")})
    return argparse.Namespace(steps=None, folder=tmp_path, device="cpu")


def test_a_run_pauses_at_its_end_alone(asked):
    runs = runs_on_words(asked)
    assert runs.training == {**TRAINING, "validate_every": 600, "checkpoint_every": 600}
    assert runs.data["source"] == str(asked.folder / "source.txt")


def test_the_command_line_decides_how_long_a_run_is(asked):
    asked.steps = 20
    training = runs_on_words(asked).training
    assert (training["steps"], training["validate_every"], training["checkpoint_every"]) == (20, 20, 20)


def test_averaging_keeps_as_many_checkpoints_as_it_averages(asked):
    training = runs_on_words(asked, averaging.TRAINING).training
    assert training["checkpoint_every"] * max(averaging.AVERAGES.values()) <= training["steps"]
    assert training["keep_checkpoints"] == max(averaging.AVERAGES.values())
    assert training["average"] == 1


def test_averaging_refuses_fewer_steps_than_its_checkpoints_take(monkeypatch, capsys):
    monkeypatch.setenv("SACCADE_DATA", "corpora")
    monkeypatch.setattr(sys, "argv", ["averaging", "--steps", "400"])
    with pytest.raises(SystemExit) as stop:
        averaging.main()
    assert stop.value.code == 2
    assert "--steps must be 500 or more, but is 400" in capsys.readouterr().err
