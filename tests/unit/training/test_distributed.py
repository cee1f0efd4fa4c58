import json
import os
from dataclasses import replace

import pytest
import torch

from saccade.training.distributed import World, joined
from saccade.training.journal import read_journal


def together(start, folder, port, config, options):
    processes = [start(folder, config, options, rank=rank, size=2, port=port) for rank in range(2)]
    results = [process.communicate(timeout=180) for process in processes]
    for process, (_, errors) in zip(processes, results, strict=True):
        assert process.returncode == 0, errors
    return json.loads(results[0][0])


def losses(folder):
    return [
        (event["step"], event["tokens"], event["loss"], event["nll"])
        for event in read_journal(folder / "journal.jsonl")
        if event["event"] == "train"
    ]


def test_two_processes_take_the_steps_of_one_that_accumulates_twice_as_much(toy, start, tmp_path, free_port):
    """Even with dropout: what a micro-batch draws depends on its place in the step, not on who computes it."""
    both = {"steps": 9, "journal_every": 1, "validate_every": 4, "checkpoint_every": 5}
    result = together(start, tmp_path / "two", free_port, both | {"accumulate": 2}, {"dropout": 0.3})
    toy.train_toy(tmp_path / "one", replace(toy.CONFIG, **both, accumulate=4), dropout=0.3)
    assert result == {"ending": "steps", "step": 9}
    for two, one in zip(losses(tmp_path / "two"), losses(tmp_path / "one"), strict=True):
        assert two[:2] == one[:2]
        assert two[2:] == pytest.approx(one[2:], abs=1e-6)


@pytest.mark.slow
def test_a_signal_to_one_process_stops_all_at_the_same_step(start, tmp_path, free_port):
    result = together(start, tmp_path, free_port, {"accumulate": 1}, {"kill_at": 6, "signal": "SIGTERM"})
    assert result == {"ending": "interrupted", "step": 6}


def test_without_torchrun_a_process_is_alone():
    with joined(torch.device("cpu"), {}) as world:
        assert world == World(torch.device("cpu"), rank=0, size=1)
        assert world.first
        assert world.sums([2.0, 3.5]) == [2.0, 3.5]
        module = torch.nn.Linear(2, 3)
        assert world.share(module) is module


def test_the_environment_of_this_process_is_not_changed():
    before = dict(os.environ)
    with joined(torch.device("cpu"), {"WORLD_SIZE": "1"}):
        pass
    assert dict(os.environ) == before
