"""The real command line: in this process, or in one of its own where that is what is tested."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tests.command_line import run_in_process


@pytest.fixture(scope="session")
def environment(tmp_path_factory) -> dict[str, str]:
    return os.environ | {
        "SACCADE_CACHE": str(tmp_path_factory.mktemp("cache")),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }


@pytest.fixture(scope="session")
def program() -> list[str]:
    return [sys.executable, "-m", "saccade.cli.main"]


@pytest.fixture(scope="session")
def saccade(environment):
    """Runs the command line in this process."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", environment["SACCADE_CACHE"])
        torch.set_num_threads(1)  # as in a process of its own, so that bits can be compared
        yield run_in_process
        torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def saccade_process(environment, program):
    """Runs it in a process of its own, with options of `subprocess.run`."""

    def run(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
        options = {"env": environment} | options
        return subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, check=False, **options)

    return run


@pytest.fixture(scope="session")
def training():
    """The arguments of a run of seconds; `training__steps=7` changes a key of its recipe."""

    def arguments(out: Path, **changes: object) -> list[str]:
        recipe = Path(__file__).with_name("short.toml")
        overrides = [f"--set={key.replace('__', '.')}={value}" for key, value in changes.items()]
        return ["train", str(recipe), f"--out={out}", *overrides]

    return arguments


@pytest.fixture(scope="session")
def finished(saccade, training, tmp_path_factory) -> Path:
    """A finished run, to be copied by who wants to harm it."""
    out = tmp_path_factory.mktemp("runs") / "finished"
    done = saccade(*training(out))
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def run(finished, tmp_path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.fixture
def interrupted(run) -> Path:
    """The same, as it would be after a kill past its last checkpoint."""
    (run / "result.json").unlink()
    shutil.rmtree(run / "model")
    shutil.rmtree(run / "checkpoints" / "step-000020")
    return run
