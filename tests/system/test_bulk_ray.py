"""`saccade bulk` on a real Ray cluster of this machine, whose actors are killed."""

import os
import random
import signal
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.system.bulk_folder import records
from tests.unit.cli.conftest import TEXT, untrained_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install 'saccade[ray]'"),
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="the processes are found in /proc"),
]

KILLS = 50
WORDS = " ".join(TEXT).split()


@pytest.fixture(scope="module")
def job(tmp_path_factory, saccade_process) -> tuple[list[object], Path, bytes]:
    """The command, its output and what that must be."""
    folder = tmp_path_factory.mktemp("ray")
    model = untrained_model(folder / "model", seed=5)
    draw = random.Random(7)
    lines = (" ".join(draw.choices(WORDS, k=draw.randrange(9))) for _ in range(3000))
    (folder / "in.txt").write_text("".join(f"{line}\n" for line in lines))
    one = saccade_process(
        "translate", model, "--input", folder / "in.txt", "--output", folder / "one.txt", "--window", 16
    )
    assert one.returncode == 0, one.stderr
    command = ["bulk", "translate", model, folder / "in.txt", "--output", folder / "out.txt", "--window", 16]
    return [*command, "--shard-lines", 40, "--ray", "local"], folder / "out.txt", (folder / "one.txt").read_bytes()


def actors() -> list[int]:
    """Processes of Ray that hold one of our actors."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::ShardActor"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_actors_killed_fifty_times_at_random_moments_lose_and_double_nothing(job, program, environment):
    command, output, expected = job
    draw, kills = random.Random(4), 0
    before: dict[str, int] = {}
    while kills < KILLS:
        words = [*program, *map(str, command), "--workers", "3"]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        while process.poll() is None:
            finished = len(records(output))
            while process.poll() is None and len(records(output)) <= finished:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.5))
            found, living = records(output), actors()
            assert {name: found.get(name, at) for name, at in before.items()} == before  # none is done again
            before = before | found
            if living and process.poll() is None and kills < KILLS:
                os.kill(draw.choice(living), signal.SIGKILL)
                kills += 1
        _, errors = process.communicate(timeout=300)
        assert "Traceback" not in errors
        assert process.returncode == 0 or "died in a row" in errors, errors
        if process.returncode == 0:
            assert output.read_bytes() == expected
            if kills < KILLS:
                for path in output.with_name(f"{output.name}.bulk").iterdir():
                    path.unlink()
                output.unlink()
                before = {}
    if process.returncode != 0:
        subprocess.run(words, env=environment, check=True)
    assert output.read_bytes() == expected


def test_a_bad_line_and_a_cluster_that_is_not_there_are_told_in_one_line(job, saccade_process, tmp_path):
    command, _, _ = job
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"one dog\n" * 500 + b"\xff\n")
    done = saccade_process("bulk", "translate", command[2], bad, "--output", tmp_path / "out", "--ray", "local")
    assert done.returncode == 2, done.stderr
    assert "bad.txt:501` must be UTF-8" in done.stderr.splitlines()[-1]
    done = saccade_process("bulk", "translate", command[2], bad, "--output", tmp_path / "x", "--ray", "127.0.0.1:9")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: `--ray` must be")
