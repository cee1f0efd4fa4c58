"""Several processes train one model, by torchrun and the command a person would give to one."""

import subprocess
import sys

import pytest

from saccade.training.journal import read_journal

pytestmark = pytest.mark.slow

SETTINGS = {"model__dropout": 0.0, "training__journal_every": 1}
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]


def losses(out) -> list[tuple[int, int, float, float]]:
    events = [event for event in read_journal(out / "journal.jsonl") if event["event"] == "train"]
    return [(event["step"], event["tokens"], event["loss"], event["nll"]) for event in events]


def test_two_processes_may_share_the_weights(saccade, training, environment, tmp_path):
    two, one = tmp_path / "two", tmp_path / "one"
    settings = {**SETTINGS, "training__steps": 5, "training__clip": 0.5}
    command = [*TORCHRUN, "-m", "saccade.cli.main", *training(two, **settings, training__placement="sharded")]
    together = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert together.returncode == 0, together.stderr
    assert "Warning" not in together.stderr
    assert "GiB of memory" in together.stderr
    alone = saccade(*training(one, **settings, training__accumulate=2))
    assert alone.returncode == 0, alone.stderr

    assert read_journal(two / "journal.jsonl")[0]["placement"] == "sharded"
    assert len(losses(one)) == 5
    for ours, theirs in zip(losses(two), losses(one), strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2:] == pytest.approx(theirs[2:], abs=1e-6)
    answers = [saccade("translate", out, "a b c d") for out in (two, one)]
    assert answers[0].stdout == answers[1].stdout


def test_two_processes_take_the_steps_of_one_that_accumulates_twice(saccade, training, environment, tmp_path):
    two, one = tmp_path / "two", tmp_path / "one"
    command = [*TORCHRUN, "-m", "saccade.cli.main", *training(two, **SETTINGS)]
    together = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert together.returncode == 0, together.stderr
    assert "Warning" not in together.stderr
    alone = saccade(*training(one, **SETTINGS, training__accumulate=2))
    assert alone.returncode == 0, alone.stderr

    assert read_journal(two / "journal.jsonl")[0]["processes"] == 2
    assert len(losses(one)) == 20
    for ours, theirs in zip(losses(two), losses(one), strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2:] == pytest.approx(theirs[2:], abs=1e-6)
    answers = [saccade("translate", out, "a b c d") for out in (two, one)]
    assert [answer.returncode for answer in answers] == [0, 0]
    assert answers[0].stdout == answers[1].stdout
