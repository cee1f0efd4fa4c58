"""The command line called in this process: a new one would take seconds to import torch, each time."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from tempfile import TemporaryFile

import pytest

from saccade.cli.main import main


def run_in_process(*arguments: object) -> CompletedProcess[str]:
    """What `saccade ARGUMENTS` writes, and its exit code, as `subprocess.run` would tell them."""
    words, code = ["saccade", *map(str, arguments)], 0
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        for file in (out, err):
            file.seek(0)
        return CompletedProcess(words, code, out.read(), err.read())


def refused(done: CompletedProcess[str], *parts: str) -> None:
    """One line of error at the end, exit code 2, no traceback, and these words in it."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert [line for line in lines if line.startswith("error: ")] == lines[-1:]
    for part in parts:
        assert part in lines[-1]
