"""Runs in processes of their own, killed for real."""

import json
import signal

import pytest
import torch
from safetensors.torch import load_file

from saccade.training.journal import read_journal, repeatable


def final(folder):
    weights = load_file(folder / "checkpoints" / "step-000023" / "weights.safetensors")
    moments = load_file(folder / "checkpoints" / "step-000023" / "optimizer.safetensors")
    return {**weights, **moments}, repeatable(read_journal(folder / "journal.jsonl"))


@pytest.fixture(scope="module")
def unbroken(start, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    process = start(folder)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert json.loads(output) == {"ending": "steps", "step": 23}
    return final(folder)


def assert_continues_to(start, folder, expected):
    process = start(folder)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    tensors, lines = final(folder)
    assert lines == expected[1]
    assert tensors.keys() == expected[0].keys()
    assert [name for name in tensors if not torch.equal(tensors[name], expected[0][name])] == []


def test_killed_twice_in_the_middle_of_an_epoch_and_continued_it_ends_bit_for_bit_the_same(start, unbroken, tmp_path):
    for step in (10, 19):
        process = start(tmp_path, options={"kill_at": step})
        process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL
    assert_continues_to(start, tmp_path, unbroken)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_finishes_the_step_and_saves(start, unbroken, tmp_path, name):
    process = start(tmp_path, options={"kill_at": 11, "signal": name})
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert json.loads(output) == {"ending": "interrupted", "step": 11}
    assert (tmp_path / "checkpoints" / "step-000011").is_dir()
    assert read_journal(tmp_path / "journal.jsonl")[-1]["reason"] == "interrupted"
    assert_continues_to(start, tmp_path, unbroken)
