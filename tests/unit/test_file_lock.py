import os
import subprocess
import sys

import pytest

from saccade.errors import InputError
from saccade.file_lock import lock

HOLD = """
import sys, time, pathlib
from saccade.file_lock import lock
with open(sys.argv[1], "ab") as file:
    assert lock(file, pathlib.Path(sys.argv[1]), wait=False)
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_process_has_it_until_it_ends_however_it_ends(tmp_path):
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, path.open("ab") as file:
        assert process.stdout.readline() == "held\n"
        assert not lock(file, path, wait=False)
        process.kill()
        assert lock(file, path, wait=True)


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="Linux alone has descriptors that take no lock")
def test_a_file_that_cannot_be_locked_is_not_said_to_be_held(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    with (
        os.fdopen(os.open(path, os.O_PATH), "rb", buffering=0) as file,
        pytest.raises(InputError, match="must be on a file system with locks, but it has none"),
    ):
        lock(file, path, wait=False)
