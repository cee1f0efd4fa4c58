import errno
import signal
import subprocess
import sys

import pytest

from saccade.folders import atomic_folder, atomic_write


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_when_its_block_ends(tmp_path):
    with atomic_folder(tmp_path / "a" / "b") as aside:
        (aside / "deep").mkdir()
        (aside / "deep" / "file").write_text("x")
        assert not (tmp_path / "a" / "b").exists()
    assert (tmp_path / "a" / "b" / "deep" / "file").read_text() == "x"
    assert names(tmp_path / "a") == ["b"]


def test_a_folder_replaces_what_had_its_name_altogether(tmp_path):
    for text in ("old", "new"):
        with atomic_folder(tmp_path / "a") as aside:
            (aside / text).write_text(text)
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["new"]


def test_a_block_that_fails_leaves_what_was_there(tmp_path):
    with atomic_folder(tmp_path / "a") as aside:
        (aside / "old").touch()

    def fail():
        with atomic_folder(tmp_path / "a") as aside:
            (aside / "new").touch()
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fail()
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["old"]


def test_a_kill_in_the_block_leaves_what_was_there(tmp_path):
    with atomic_folder(tmp_path / "a") as aside:
        (aside / "old").touch()
    code = (
        "import os, pathlib, signal, sys; from saccade.folders import atomic_folder\n"
        "with atomic_folder(pathlib.Path(sys.argv[1])) as aside:\n"
        "    (aside / 'new').touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert names(tmp_path / "a") == ["old"]
    with atomic_folder(tmp_path / "a") as aside:
        assert names(aside) == []
    assert names(tmp_path) == ["a"]


def test_a_kill_between_the_two_renames_is_undone_by_the_next_writer(tmp_path):
    (tmp_path / ".a.previous").mkdir()
    (tmp_path / ".a.previous" / "old").touch()

    def fail():
        with atomic_folder(tmp_path / "a"):
            assert names(tmp_path / "a") == ["old"]
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert names(tmp_path / "a") == ["old"]


def test_a_file_is_replaced_with_the_line_ends_it_was_given(tmp_path):
    atomic_write(tmp_path / "file", "one\n")
    atomic_write(tmp_path / "file", "zwei\r\n\N{SNOWMAN}\n")
    assert (tmp_path / "file").read_bytes() == "zwei\r\n\N{SNOWMAN}\n".encode()
    assert names(tmp_path) == ["file"]
