"""The real command line, in processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


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
def saccade(environment, program):
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
