import os
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

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


def test_a_lock_that_was_taken_away_while_it_was_opened_is_taken_anew(tmp_path, monkeypatch):
    """As when a refused run removes its folder between the opening and the locking of its lock."""
    folder, opened = tmp_path / "run", Path.open

    def removed_once(path, *arguments, **options):
        file = opened(path, *arguments, **options)
        monkeypatch.undo()
        path.unlink()
        folder.rmdir()
        return file

    monkeypatch.setattr(Path, "open", removed_once)
    with run_lock(folder, SINCE):
        assert (folder / "lock").is_file()
        with pytest.raises(RunError, match="must be free"), run_lock(folder, SINCE):
            pass


def test_a_lock_that_cannot_be_opened_is_refused(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "nowhere" / "lock")
    with pytest.raises(RunError, match="must be a file that can be locked"), run_lock(tmp_path, SINCE):
        pass
