import errno
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import FormatError, InputError
from saccade.folders import (
    atomic_folder,
    atomic_write,
    check_files,
    interrupted_replacement,
    remove_partial,
    sha256_of,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def ours(folder):
    """A folder is ours when it has a file "stamp", which lists the others that we wrote."""
    stamp = folder / "stamp"
    return {"stamp", *stamp.read_text().split()} if stamp.is_file() else None


def write(folder, *files):
    with atomic_folder(folder, ours) as aside:
        for name in files:
            (aside / name).parent.mkdir(exist_ok=True)
            (aside / name).write_text(name)
        (aside / "stamp").write_text(" ".join(files))


def test_a_folder_appears_when_its_block_ends(tmp_path):
    with atomic_folder(tmp_path / "a" / "b", ours) as aside:
        (aside / "deep").mkdir()
        (aside / "deep" / "file").write_text("x")
        assert not (tmp_path / "a" / "b").exists()
    assert (tmp_path / "a" / "b" / "deep" / "file").read_text() == "x"
    assert names(tmp_path / "a") == ["b"]


def test_a_folder_replaces_all_of_an_older_one_of_ours(tmp_path):
    write(tmp_path / "a", "old", "deep/old")
    write(tmp_path / "a", "new")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["new", "stamp"]


def test_what_a_user_put_into_a_folder_of_ours_stays_there(tmp_path):
    write(tmp_path / "a", "old", "deep/old")
    (tmp_path / "a" / "notes.txt").write_text("mine")
    (tmp_path / "a" / "deep" / "notes.txt").write_text("mine too")
    (tmp_path / "a" / "empty").mkdir()
    (tmp_path / "a" / "link").symlink_to("nowhere")
    write(tmp_path / "a", "new")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["deep", "empty", "link", "new", "notes.txt", "stamp"]
    assert (tmp_path / "a" / "notes.txt").read_text() == "mine"
    assert names(tmp_path / "a" / "deep") == ["notes.txt"]
    assert os.readlink(tmp_path / "a" / "link") == "nowhere"


def test_a_file_of_a_user_under_a_name_of_ours_is_not_replaced(tmp_path):
    write(tmp_path / "a", "old")
    (tmp_path / "a" / "new").write_text("mine")
    with pytest.raises(InputError, match="must be a file that saccade wrote, but is not"):
        write(tmp_path / "a", "new")
    assert (tmp_path / "a" / "new").read_text() == "mine"
    assert names(tmp_path / "a") == ["new", "old", "stamp"]
    assert names(tmp_path) == ["a"]


def test_a_folder_of_somebody_else_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "thesis.tex").write_text("work of years")
    with pytest.raises(InputError, match="but holds other files"):
        write(tmp_path / "a", "new")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["thesis.tex"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "a").mkdir()
    write(tmp_path / "a", "new")
    assert names(tmp_path / "a") == ["new", "stamp"]


@pytest.mark.parametrize("kind", ["a file", "a named pipe", "a socket"])
def test_what_is_no_folder_is_refused_and_left_as_it_was(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    match kind:
        case "a file":
            (tmp_path / "a").write_text("mine")
        case "a named pipe":
            os.mkfifo(tmp_path / "a")
        case "a socket":
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind("a")
    before = (tmp_path / "a").lstat()
    with pytest.raises(InputError, match=f"must be a folder, but is {kind}"):
        write(tmp_path / "a", "new")
    if kind != "a file":
        with pytest.raises(InputError, match=f"must be a file, but is {kind}"):
            atomic_write(tmp_path / "a", "text")
    assert (tmp_path / "a").lstat() == before
    assert names(tmp_path) == ["a"]


def test_a_device_is_refused():
    with pytest.raises(InputError, match="must be a folder, but is a device"):
        write(Path(os.devnull), "new")
    with pytest.raises(InputError, match="must be a file, but is a device"):
        atomic_write(Path(os.devnull), "text")


@pytest.mark.parametrize("exists", [False, True])
def test_a_link_is_followed_and_stays_a_link(exists, tmp_path):
    if exists:
        write(tmp_path / "there", "old")
        (tmp_path / "file").write_text("old")
    (tmp_path / "a").symlink_to("there")
    (tmp_path / "b").symlink_to("file")
    write(tmp_path / "a", "new")
    atomic_write(tmp_path / "b", "new")
    assert (os.readlink(tmp_path / "a"), os.readlink(tmp_path / "b")) == ("there", "file")
    assert names(tmp_path / "there") == ["new", "stamp"]
    assert (tmp_path / "file").read_text() == "new"
    assert names(tmp_path) == ["a", "b", "file", "there"]


def test_a_link_that_leads_in_a_circle_is_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="in a circle"):
        write(tmp_path / "a", "new")


def test_the_folder_one_stands_in_is_not_put_in_place(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    with pytest.raises(InputError, match="must not be the folder the command is run in"):
        write(Path("."), "new")
    assert names(tmp_path / "a") == []


def test_a_block_that_fails_leaves_what_was_there(tmp_path):
    write(tmp_path / "a", "old")

    def fail():
        with atomic_folder(tmp_path / "a", ours) as aside:
            (aside / "new").touch()
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fail()
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["old", "stamp"]


def test_a_block_that_fails_leaves_no_folder_above(tmp_path):
    def fail():
        with atomic_folder(tmp_path / "a" / "b" / "c", ours):
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert names(tmp_path) == []


KILLED = """
import os, pathlib, signal, sys
import saccade.folders
from saccade.folders import atomic_folder

folder, before = pathlib.Path(sys.argv[1]), sys.argv[2]
rename = pathlib.Path.rename

def counted(self, target):
    if pathlib.Path(target).name == before or self.name == before:
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

pathlib.Path.rename = counted
with atomic_folder(folder, lambda folder: {"stamp", "old"} if (folder / "stamp").is_file() else None) as aside:
    (aside / "new").touch()
    (aside / "stamp").write_text("new")
"""


@pytest.mark.parametrize("before", ["previous", "new", "notes.txt", "done"])
def test_a_kill_before_any_rename_costs_nothing_of_anybody(before, tmp_path):
    write(tmp_path / "a", "old")
    (tmp_path / "a" / "notes.txt").write_text("mine")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a"), before], check=False)
    assert done.returncode == -signal.SIGKILL
    write(tmp_path / "a", "newer")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["newer", "notes.txt", "stamp"]
    assert (tmp_path / "a" / "notes.txt").read_text() == "mine"


def test_a_folder_that_a_kill_took_from_its_place_can_be_found(tmp_path):
    write(tmp_path / "a", "old")
    assert interrupted_replacement(tmp_path / "a") is None
    # The rename that follows "previous" is that of "new".
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a"), "new"], check=False)
    assert not (tmp_path / "a").exists()
    assert names(interrupted_replacement(tmp_path / "a")) == ["old", "stamp"]


def test_what_a_kill_left_is_removed_and_a_folder_of_a_user_under_that_name_is_not(tmp_path):
    write(tmp_path / "a", "old")
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a"), "previous"], check=False)
    (tmp_path / ".b.partial").mkdir()
    (tmp_path / ".b.partial" / "mine").touch()
    assert names(tmp_path) == [".a.partial", ".b.partial", "a"]
    remove_partial(tmp_path)
    assert names(tmp_path) == [".b.partial", "a"]


def test_a_user_s_own_folder_beside_ours_is_left_alone(tmp_path):
    (tmp_path / ".a.partial").mkdir()
    (tmp_path / ".a.partial" / "mine").touch()
    (tmp_path / ".a.previous").mkdir()
    (tmp_path / ".file.partial").write_text("mine")
    for name in ("old", "new"):
        write(tmp_path / "a", name)
        atomic_write(tmp_path / "file", name)
    assert names(tmp_path) == [".a.partial", ".a.previous", ".file.partial", "a", "file"]
    assert names(tmp_path / ".a.partial") == ["mine"]
    assert (tmp_path / ".file.partial").read_text() == "mine"


def test_a_file_is_replaced_with_the_line_ends_it_was_given(tmp_path):
    atomic_write(tmp_path / "file", "one\n")
    atomic_write(tmp_path / "file", "zwei\r\n\N{SNOWMAN}\n")
    assert (tmp_path / "file").read_bytes() == "zwei\r\n\N{SNOWMAN}\n".encode()
    assert names(tmp_path) == ["file"]


def test_all_missing_and_altered_files_are_in_one_message(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    expected = {name: sha256_of(tmp_path / name) for name in ("a", "b", "c")}
    check_files(tmp_path, expected)
    (tmp_path / "a").unlink()
    (tmp_path / "c").write_text("d")
    with pytest.raises(FormatError, match=r"a is missing; c is damaged or altered .*\. Copy it again\."):
        check_files(tmp_path, expected, "Copy it again.")
