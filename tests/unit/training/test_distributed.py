import os
from dataclasses import replace

import pytest
import torch

from saccade.errors import ConfigError
from saccade.training.distributed import World, process_group
from saccade.training.journal import read_journal


@pytest.mark.slow
def test_two_processes_take_the_steps_of_one_that_accumulates_twice_as_much(toy, together, losses, tmp_path):
    """Even with dropout: what a micro-batch draws depends on its place in the step, not on who computes it."""
    both = {"steps": 9, "journal_every": 1, "validate_every": 4, "checkpoint_every": 5}
    result = together(tmp_path / "two", both | {"accumulate": 2}, {"dropout": 0.3})
    toy.train_toy(tmp_path / "one", replace(toy.CONFIG, **both, accumulate=4), dropout=0.3)
    assert (result["ending"], result["step"]) == ("steps", 9)
    # Threads of a group that outlive it may abort the process when it exits.
    assert [name for name in result["threads"] if "gloo" in name or "tcpstore" in name] == []
    for two, one in zip(losses(tmp_path / "two"), losses(tmp_path / "one"), strict=True):
        assert two[:2] == one[:2]
        assert two[2:] == pytest.approx(one[2:], abs=1e-6)


@pytest.mark.slow
def test_four_processes_take_the_steps_of_one_that_accumulates_four_times_as_much(toy, together, losses, tmp_path):
    both = {"steps": 5, "journal_every": 1, "clip": 0.5}
    together(tmp_path / "four", both | {"accumulate": 1}, size=4)
    toy.train_toy(tmp_path / "one", replace(toy.CONFIG, **both, accumulate=4))
    for four, one in zip(losses(tmp_path / "four"), losses(tmp_path / "one"), strict=True):
        assert four[:2] == one[:2]
        assert four[2:] == pytest.approx(one[2:], abs=1e-6)


@pytest.mark.slow
def test_a_signal_to_one_process_stops_all_at_the_same_step(together, tmp_path):
    result = together(tmp_path, {"accumulate": 1}, {"kill_at": 6, "signal": "SIGTERM"})
    assert (result["ending"], result["step"]) == ("interrupted", 6)


def test_without_torchrun_a_process_is_alone():
    with process_group(torch.device("cpu"), {}) as world:
        assert world == World(torch.device("cpu"), rank=0, size=1)
        assert world.first
        assert world.gather([2.0, 3.5]) == [[2.0, 3.5]]


def test_the_environment_of_this_process_is_not_changed():
    before = dict(os.environ)
    with process_group(torch.device("cpu"), {"WORLD_SIZE": "1"}):
        pass
    assert dict(os.environ) == before


@pytest.mark.slow
def test_all_processes_hear_of_a_plateau_that_only_the_first_has_seen(toy, together, losses, tmp_path):
    both = {
        "steps": 9,
        "journal_every": 1,
        "validate_every": 1,
        "warmup": 1,
        "optimizer": "sgd",
        "learning_rate": 4.0,
        "schedule": "plateau",
        "plateau_divisor": 4.0,
        "clip": 1.0,
    }
    together(tmp_path / "two", both | {"accumulate": 2})
    toy.train_toy(tmp_path / "one", replace(toy.CONFIG, **both, accumulate=4))
    rates = {event["learning_rate"] for event in read_journal(tmp_path / "two" / "journal.jsonl") if "nll" in event}
    assert len(rates) > 1
    for two, one in zip(losses(tmp_path / "two"), losses(tmp_path / "one"), strict=True):
        assert two[:2] == one[:2]
        assert two[2:] == pytest.approx(one[2:], abs=1e-4)


@pytest.mark.parametrize("missing", ["RANK", "MASTER_ADDR", "MASTER_PORT"])
def test_an_environment_that_says_half_of_it_is_refused(missing):
    whole = {"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    half = {name: value for name, value in whole.items() if name != missing}
    with pytest.raises(ConfigError, match=f"`{missing}` must be set"), process_group(torch.device("cpu"), half):
        pass
