"""The commands of docs/bulk.md, as a person would copy them."""

import os
import re
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCUMENT = (Path(__file__).parents[2] / "docs" / "bulk.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(?:sh|bash)\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE)
LINES = ["Where is the train station?", "Thank you very much.", "The dog is old.", "", "She reads a book."] * 7


@pytest.fixture(scope="module")
def place(tmp_path_factory, environment) -> tuple[Path, dict[str, str]]:
    """A folder with a corpus, and the programs that the commands name."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "corpus.en").write_text("".join(f"{line}\n" for line in LINES))
    programs = folder / "bin"
    programs.mkdir()
    for name, module in (("saccade", "saccade.cli.main"), ("torchrun", "torch.distributed.run")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder, environment | {"PATH": f"{programs}:{os.environ['PATH']}"}


def block_with(words: str) -> str:
    (found,) = (block for block in BLOCKS if words in block)
    return found


def run(place, script: str, **changes: str) -> None:
    folder, environment = place
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=environment | changes, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def expected(place) -> bytes:
    run(place, "saccade translate en-es --input corpus.en --output one.es")
    return (place[0] / "one.es").read_bytes()


def test_the_first_example_and_the_scores_after_it(place, expected):
    run(place, block_with("--output corpus.es"))
    assert (place[0] / "corpus.es").read_bytes() == expected
    run(place, block_with("bulk score"))
    run(place, "saccade score en-es pairs.tsv --output one.txt")
    assert (place[0] / "scores.txt").read_bytes() == (place[0] / "one.txt").read_bytes()


def test_torchrun(place, expected):
    run(place, block_with("torchrun"))
    assert (place[0] / "torchrun.es").read_bytes() == expected


def test_a_job_array_of_slurm(place, expected):
    script = block_with("#SBATCH")
    (last,) = re.findall(r"--array=0-(\d+)", script)
    for index in ("0", last):  # the second has nothing left to do
        run(
            place,
            script,
            SLURM_ARRAY_TASK_ID=index,
            SLURM_ARRAY_TASK_COUNT=str(int(last) + 1),
            SLURM_ARRAY_TASK_MIN="0",
        )
    assert (place[0] / "slurm.es").read_bytes() == expected


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install 'saccade[ray]'")
def test_ray(place, expected):
    run(place, block_with("--ray"))
    assert (place[0] / "ray.es").read_bytes() == expected


def test_every_example_is_one_of_these():
    assert len(BLOCKS) == 5
    assert shutil.which("bash")
