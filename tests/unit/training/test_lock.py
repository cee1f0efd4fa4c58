import os
import socket
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from saccade.errors import RunError
from saccade.training.lock import run_lock

SINCE = datetime(2017, 6, 12, 17, 57, 34, tzinfo=UTC)
HOLD = """
import sys, time, datetime, pathlib
from saccade.training.lock import run_lock
with run_lock(pathlib.Path(sys.argv[1]), datetime.datetime(2017, 6, 12)):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_told_who_has_it(tmp_path):
    with run_lock(tmp_path / "run", SINCE), pytest.raises(RunError) as caught, run_lock(tmp_path / "run", SINCE):
        pass
    assert f"process {os.getpid()} on {socket.gethostname()}" in str(caught.value)
    assert "since 2017-06-12T17:57:34" in str(caught.value)


def test_it_can_be_held_again_after_release(tmp_path):
    for _ in range(2):
        with run_lock(tmp_path, SINCE):
            pass


def test_a_kill_releases_it(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(RunError, match=f"process {process.pid}"), run_lock(tmp_path, SINCE):
            pass
        process.kill()
        process.wait()
    with run_lock(tmp_path, SINCE):
        pass


def test_an_unreadable_lock_file_still_locks(tmp_path):
    with run_lock(tmp_path, SINCE):
        (tmp_path / "lock").write_text("?")
        with pytest.raises(RunError, match="another process is training there"), run_lock(tmp_path, SINCE):
            pass
