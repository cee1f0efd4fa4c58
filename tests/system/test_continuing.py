"""Killed and continued through the command line, a run ends as the run that was left alone: bit for bit."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from saccade.training.journal import read_journal, repeatable

pytestmark = pytest.mark.slow

# 33 batches an epoch: the run crosses from one into the next between two checkpoints.
SETTINGS = {
    "model__dropout": 0.1,
    "training__accumulate": 2,
    "training__batch_tokens": 1024,
    "training__steps": 41,
    "training__checkpoint_every": 10,
    "training__validate_every": 17,
    "training__journal_every": 1,
    "training__average": 2,
}
STEPS = SETTINGS["training__steps"]


def steps_told(out: Path) -> int:
    journal = out / "journal.jsonl"
    return max((event["step"] for event in read_journal(journal)), default=0) if journal.exists() else 0


def newest_checkpoint(out: Path) -> int:
    return max((int(path.name.removeprefix("step-")) for path in (out / "checkpoints").glob("step-*")), default=0)


def kill_after(step: int, command: list[str], out: Path, environment: dict[str, str]) -> None:
    """SIGKILL from outside, at whatever instruction it then is."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 120
            while steps_told(out) < step and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
        finally:
            process.kill()
        assert process.wait(timeout=60) == -signal.SIGKILL
    assert step <= steps_told(out) < STEPS


def test_killed_twice_and_started_again_by_the_same_command(saccade_process, program, training, environment, tmp_path):
    """Every part in a process of its own: last digits depend on what a process has computed before."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = saccade_process(*training(whole, **SETTINGS))
    assert done.returncode == 0, done.stderr

    command = training(broken, **SETTINGS)
    kill_after(3, [*program, *command], broken, environment)
    assert newest_checkpoint(broken) <= 10
    kill_after(23, [*program, *command], broken, environment)
    newest = newest_checkpoint(broken)
    position = json.loads((broken / "checkpoints" / f"step-{newest:06d}" / "state.json").read_text())
    assert position["standing"]["position"]["index"] > 0  # in the middle of an epoch
    done = saccade_process(*command)
    assert done.returncode == 0, done.stderr

    for name in (
        "model/weights.safetensors",
        f"checkpoints/step-{STEPS:06d}/weights.safetensors",
        f"checkpoints/step-{STEPS:06d}/optimizer.safetensors",
        "result.json",
    ):
        assert (broken / name).read_bytes() == (whole / name).read_bytes(), name
    journals = [repeatable(read_journal(out / "journal.jsonl")) for out in (whole, broken)]
    assert len(journals[0]) == STEPS + STEPS // 17 + 1
    assert journals[0] == journals[1]


VERIFY = ("verify-resume", "tiny", "--steps=12", "--set=model.dropout=0.1", "--set=training.accumulate=2")


def test_verify_resume_finds_continuing_exact(saccade):
    done = saccade(*VERIFY)
    assert (done.returncode, done.stdout[:7]) == (0, "exact: "), done.stdout + done.stderr
    assert "killed after step 7, continued from step 6, ended at step 12" in done.stdout


def test_verify_resume_catches_dropout_that_starts_over(saccade_process, environment, tmp_path):
    """What a program without our seeds, whose checkpoints forget the generators, would do."""
    (tmp_path / "sitecustomize.py").write_text(
        "import saccade.training.seeds\nsaccade.training.seeds.reseed = lambda *place: None\n"
    )
    done = saccade_process(*VERIFY, env=environment | {"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout[:11]) == (1, "NOT exact: "), done.stdout + done.stderr
    assert "first difference: tensor " in done.stdout
