import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from saccade.errors import InputError, RunError
from saccade.output_files import OutputFile


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_file_is_written_and_nothing_else_is_left(tmp_path):
    OutputFile.of(tmp_path / "out.txt").write("uno\r\ndos\n")
    assert (tmp_path / "out.txt").read_bytes() == b"uno\r\ndos\n"
    assert names(tmp_path) == {"out.txt"}


def test_until_it_is_complete_it_is_not_there_by_its_name(tmp_path):
    with OutputFile.of(tmp_path / "out.txt").writing() as file:
        file.write(b"uno\n")
        assert names(tmp_path) == {".out.txt.partial"}


def test_what_a_kill_left_is_no_obstacle(tmp_path):
    (tmp_path / ".out.txt.partial").write_text("half of i")
    OutputFile.of(tmp_path / "out.txt").write("it")
    assert names(tmp_path) == {"out.txt"}
    assert (tmp_path / "out.txt").read_text() == "it"


def test_a_failure_leaves_nothing_and_what_was_there_stays(tmp_path):
    (tmp_path / "out.txt").write_text("mine")

    def interrupted():
        with OutputFile.of(tmp_path / "out.txt", overwrite=True).writing() as file:
            file.write(b"half of i")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "out.txt").read_text() == "mine"
    assert names(tmp_path) == {"out.txt"}


def test_a_file_that_holds_something_is_refused(tmp_path):
    (tmp_path / "out.txt").write_text("mine")
    with pytest.raises(
        InputError, match=r"out.txt` must be a new file, but exists. Choose another name, or add --over"
    ):
        OutputFile.of(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "mine"


def test_an_empty_file_one_of_ours_and_one_given_up_are_replaced(tmp_path):
    place = tmp_path / "out.txt"
    place.touch()
    OutputFile.of(place).write("first")
    OutputFile.of(place, ours=lambda path: path.read_text() == "first").write("second")
    OutputFile.of(place, overwrite=True).write("third")
    assert place.read_text() == "third"


def test_a_replaced_file_keeps_its_rights(tmp_path):
    place = tmp_path / "out.txt"
    place.write_text("secret")
    place.chmod(0o600)
    OutputFile.of(place, overwrite=True).write("another")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "there" / "target.txt"
    link.symlink_to(target)
    OutputFile.of(link).write("through a dangling link")
    OutputFile.of(link, overwrite=True).write("and once more")
    assert link.is_symlink()
    assert target.read_text() == "and once more"
    assert names(tmp_path / "there") == {"target.txt"}


def test_a_link_to_a_file_of_the_user_does_not_hide_it(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to("notes.txt")
    with pytest.raises(InputError, match="must be a new file"):
        OutputFile.of(tmp_path / "link")


def test_the_part_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "out.txt.part").write_text("mine")
    with pytest.raises(InputError, match=r"out.txt.part` must not be there"):
        OutputFile.of(tmp_path / "out.txt").new_part()
    assert names(tmp_path) == {"out.txt.part"}
    assert (tmp_path / "out.txt.part").read_text() == "mine"


def test_a_file_made_meanwhile_is_not_replaced(tmp_path):
    output = OutputFile.of(tmp_path / "out.txt")
    (tmp_path / "out.txt").write_text("theirs")
    with pytest.raises(InputError, match="somebody has made it meanwhile"):
        output.write("ours")
    assert (tmp_path / "out.txt").read_text() == "theirs"
    assert names(tmp_path) == {"out.txt"}


def test_a_device_is_written_into_and_stays_a_device():
    OutputFile.of(Path("/dev/null"), overwrite=True).write("away")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_link_to_a_device_is_written_into(tmp_path):
    (tmp_path / "away").symlink_to("/dev/null")
    OutputFile.of(tmp_path / "away").write("text")
    assert (tmp_path / "away").is_symlink()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_fifo_is_written_into(tmp_path):
    fifo, read = tmp_path / "fifo", []
    os.mkfifo(fifo)
    descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)

    def read_all():
        with os.fdopen(descriptor, "rb") as file:
            read.append(file.read())

    reader = threading.Thread(target=read_all)
    output = OutputFile.of(fifo)
    with output.writing() as file:
        reader.start()
        file.write(b"x" * 100_000)  # more than a pipe holds
    reader.join()
    assert read == [b"x" * 100_000]
    assert fifo.is_fifo()


def test_a_fifo_that_nobody_reads_is_refused_instead_of_waiting(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(InputError, match="must have a reader, but nobody reads it"):
        OutputFile.of(tmp_path / "fifo").write("text")


PROGRAM = "import sys; from pathlib import Path; from saccade.output_files import OutputFile; "


def test_standard_output_that_is_a_file_is_appended_to(tmp_path):
    place = tmp_path / "log"
    place.write_text("before\n")
    with place.open("a") as log:
        program = PROGRAM + "OutputFile.of(Path('/dev/stdout')).write('text\\n')"
        subprocess.run([sys.executable, "-c", program], stdout=log, check=True)
    assert place.read_text() == "before\ntext\n"


def test_process_substitution_works(tmp_path):
    command = f'"{sys.executable}" -c "{PROGRAM} OutputFile.of(Path(sys.argv[1])).write(sys.argv[2])" >(cat) text'
    done = subprocess.run(["bash", "-c", f"{command} | cat"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("text", "")


def test_a_socket_is_refused(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("here")
        with pytest.raises(InputError, match="but is a socket"):
            OutputFile.of(Path("here"))
    assert Path("here").is_socket()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder", "must be a file, but is a folder"),
        ("missing/out.txt", "must be in a folder that is there"),
        ("loop", "must be a file that can be written"),
        ("file/out.txt", "must be a file that can be written"),
        ("n" * 300, "must be a file that can be written"),
        ("nul\0", "must be a file that can be written"),
    ],
)
def test_a_place_that_cannot_be_is_refused_in_one_line(tmp_path, name, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match=said) as refused:
        OutputFile.of(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_a_name_too_long_for_its_part_is_refused_in_one_line(tmp_path):
    with pytest.raises(InputError, match="File name too long"):
        OutputFile.of(tmp_path / ("n" * 253)).write("text")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_is_read_only_is_refused(tmp_path):
    (tmp_path / "out.txt").write_text("mine")
    (tmp_path / "out.txt").chmod(0o400)
    with pytest.raises(InputError, match="is read-only"):
        OutputFile.of(tmp_path / "out.txt", overwrite=True)
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="must be in a folder that can be written"):
        OutputFile.of(tmp_path / "new.txt")


def test_a_full_disk_is_one_line():
    with pytest.raises(RunError, match="`/dev/full` must be writable, but could not be written: the disk is full"):
        OutputFile.of(Path("/dev/full")).write("text")


LIMITED = PROGRAM + "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
LIMITED += "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); OutputFile.of(Path(sys.argv[1])).write('x' * 9999)"


def test_a_disk_that_fills_up_is_one_line_and_leaves_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path / "out.txt"], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1].startswith("saccade.errors.RunError: `")
    assert "the disk is full" in done.stderr.splitlines()[-1]
    assert names(tmp_path) == set()
