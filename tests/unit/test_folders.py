import errno
import json
import signal
import subprocess
import sys

import pytest

from saccade.errors import FormatError
from saccade.folders import atomic_folder, atomic_write, check_files, read_json, read_sealed_json, sealed, sha256_of


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


@pytest.mark.parametrize("content", ["", "{", "[]", "\xff", '{"format": "1"}', "{}"])
def test_json_that_saccade_did_not_write_is_refused_with_advice(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match=r"a\.json` must be JSON that saccade wrote, but is damaged .*\. Do so\."):
        read_json(tmp_path / "a.json", 1, "Do so.")


def test_json_that_is_missing_is_not_readable(tmp_path):
    with pytest.raises(FormatError, match=r"a\.json` must be readable, but is not: No such file"):
        read_json(tmp_path / "a.json")


def test_json_of_a_newer_format_asks_for_an_upgrade(tmp_path):
    (tmp_path / "a.json").write_text('{"format": 3}')
    with pytest.raises(FormatError, match=r"up to 2, but has 3: .* Upgrade saccade\."):
        read_json(tmp_path / "a.json", 2)
    assert read_json(tmp_path / "a.json", 3) == {"format": 3}


def test_a_seal_covers_every_key_but_those_that_may_be_edited(tmp_path):
    content = sealed({"format": 1, "steps": 7, "decoding": {"size": 4}}, ("decoding",))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content | {"decoding": {"size": 5}}))
    assert read_sealed_json(path, 1, ("decoding",))["decoding"] == {"size": 5}
    path.write_text(json.dumps(content | {"steps": 8}))
    with pytest.raises(FormatError, match="damaged or altered"):
        read_sealed_json(path, 1, ("decoding",))


def test_all_missing_and_altered_files_are_in_one_message(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    expected = {name: sha256_of(tmp_path / name) for name in ("a", "b", "c")}
    check_files(tmp_path, expected)
    (tmp_path / "a").unlink()
    (tmp_path / "c").write_text("d")
    with pytest.raises(FormatError, match=r"a is missing; c is damaged or altered .*\. Copy it again\."):
        check_files(tmp_path, expected, "Copy it again.")
