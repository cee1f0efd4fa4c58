"""`saccade bulk` in real processes: killed, interrupted, and started by other programs."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.system.bulk_folder import records
from tests.unit.cli.conftest import TEXT, untrained_model

pytestmark = pytest.mark.slow

KILLS = 50
WORDS = " ".join(TEXT).split()


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return untrained_model(tmp_path_factory.mktemp("bulk") / "model", seed=5)


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    draw = random.Random(7)
    path = tmp_path_factory.mktemp("bulk") / "in.txt"
    lines = (" ".join(draw.choices(WORDS, k=draw.randrange(9))) for _ in range(3000))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def expected(model, text, saccade_process) -> bytes:
    out = text.with_name("expected.txt")
    done = saccade_process("translate", model, "--input", text, "--output", out, "--window", 16)
    assert done.returncode == 0, done.stderr
    return out.read_bytes()


@pytest.fixture
def bulk(model, text, tmp_path, program, environment):
    """Starts the command, in a group of processes of its own; one that a shell has put aside would ignore Ctrl-C."""
    command = ("bulk", "translate", model, text, "--output", tmp_path / "out.txt", "--window", 16, "--shard-lines", 40)

    def start(*more, launcher=(), changes=None, **options) -> subprocess.Popen[str]:
        words = [*(launcher or [sys.executable]), *program[1:], *map(str, (*command, *more))]
        return subprocess.Popen(
            words,
            stderr=subprocess.PIPE,
            text=True,
            env=environment | (changes or {}),
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            **options,
        )

    return start


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a command has started for its work."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [int(child) for child in children if b"spawn_main" in _words(child)]


def _words(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def ended(process: subprocess.Popen[str]) -> str:
    _, errors = process.communicate(timeout=300)
    return errors


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the processes are found in /proc")
def test_workers_killed_fifty_times_at_random_moments_lose_and_double_nothing(bulk, expected, tmp_path):
    draw, kills = random.Random(3), 0
    output, folder = tmp_path / "out.txt", tmp_path / "out.txt.bulk"
    before: dict[str, int] = {}
    while kills < KILLS:
        process = bulk("--workers", 3)
        while process.poll() is None:
            if draw.random() < 0.8:  # mostly where shards are being done, and else where models are being loaded
                finished = len(records(output))
                while process.poll() is None and len(records(output)) <= finished:
                    time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.5))
            living = workers_of(process)
            found = records(output)
            assert {name: found.get(name, at) for name, at in before.items()} == before  # none is done again
            before = before | found
            if living and process.poll() is None:
                victim = process.pid if draw.random() < 0.1 else draw.choice(living)
                os.kill(victim, signal.SIGKILL)
                kills += 1
        errors = ended(process)
        assert "Traceback" not in errors
        if process.returncode == 0:
            assert output.read_bytes() == expected
            shutil.rmtree(folder)
            output.unlink()
            before = {}
        else:  # killed itself, or so many workers in a row that it gave up: the same command goes on
            assert process.returncode == -signal.SIGKILL or "died in a row" in errors
            assert not output.exists()
    process = bulk("--workers", 3)
    assert "Traceback" not in ended(process)
    assert output.read_bytes() == expected


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_it_in_one_line_and_the_same_command_goes_on(bulk, expected, tmp_path, workers):
    output = tmp_path / "out.txt"
    process = bulk("--workers", workers)
    while not records(output):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert ended(process).splitlines()[-1] == "interrupted"
    assert process.returncode == 130
    finished = records(output)
    process = bulk("--workers", 3 - workers)
    while process.poll() is None and (found := records(output)):
        assert {name: found.get(name, at) for name, at in finished.items()} == finished
        time.sleep(0.05)
    assert "error" not in ended(process)
    assert output.read_bytes() == expected


def test_under_torchrun_every_process_takes_its_part(bulk, expected, tmp_path):
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    process = bulk(launcher=launcher)
    errors = ended(process)
    assert process.returncode == 0, errors
    assert (tmp_path / "out.txt").read_bytes() == expected


def test_as_a_job_array_of_slurm_each_index_takes_its_part_and_a_late_one_finds_nothing_to_do(bulk, expected, tmp_path):
    array = [
        {"SLURM_ARRAY_TASK_ID": str(index), "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1"}
        for index in range(1, 5)
    ]
    early = [bulk(changes=one) for one in array[:3]]
    begun = [ended(one) for one in early]
    assert [one.returncode for one in early] == [0, 0, 0], begun
    output = tmp_path / "out.txt"
    assert output.read_bytes() == expected
    written = output.stat().st_ino
    late = bulk(changes=array[3])
    assert ended(late) == ""
    assert (late.returncode, output.stat().st_ino) == (0, written)


def test_of_several_bad_lines_the_first_is_told_whoever_meets_it(bulk, model, text, tmp_path, saccade_process):
    lines = text.read_bytes().splitlines(keepends=True)
    for place in (400, 700, 1100, 1500):
        lines[place] = b"\xff\n"
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"".join(lines))
    alone = saccade_process("translate", model, "--input", bad, "--window", 16)
    process = saccade_process(
        *("bulk", "translate", model, bad, "--output", tmp_path / "bad.out", "--window", 16, "--shard-lines", 40),
        *("--workers", 3),
    )
    assert (process.returncode, process.stderr.splitlines()[-1:]) == (2, alone.stderr.splitlines()[-1:])
    assert re.search(r"bad\.txt:401` must be UTF-8", process.stderr)


def test_memory_does_not_grow_with_the_file(model, text, tmp_path, environment):
    """The peak of 30 windows of long lines is that of one: memory holds windows and blocks, never the file."""
    program = (
        "import sys, torch\nfrom saccade.cli.main import main\nfrom saccade.hardware import peak_memory\n"
        "try:\n    main()\nfinally:\n    print(peak_memory(torch.device('cpu')), file=sys.stderr)"
    )
    peaks = []
    for times in (1, 30):
        path = tmp_path / f"{times}.txt"
        path.write_bytes(b"one dog runs %s\n" % (b" " * 3000) * 1000 * times)
        command = ["bulk", "translate", model, path, "--output", f"{path}.out", "--no-split", "--window", "1000"]
        done = subprocess.run(
            [sys.executable, "-c", program, *command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(int(done.stderr.split()[-1]))
    assert (tmp_path / "30.txt").stat().st_size > 9e7
    assert peaks[1] < peaks[0] + 3e7
