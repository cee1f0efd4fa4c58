import json
import os
import signal
import subprocess
import sys
import time

import pytest

from saccade.output_files import OutputFile

WORDS = ["one dog runs", "two men talk", "the old school is behind the street", "she reads", "men talk", "dog she"]

NOTHING_LEFT = "nothing of it is unfinished; nothing to go on with"


@pytest.fixture
def many(tmp_path):
    """More lines than the first two windows hold, so that some are sure before something goes wrong."""
    path = tmp_path / "many.txt"
    path.write_text("".join(f"{WORDS[number % 6]} {WORDS[number % 5]}\n" for number in range(150)))
    return path


def spoilt(many):
    """The same with an invalid byte on line 140."""
    lines = many.read_bytes().split(b"\n")
    lines[139] = b"two \xff men"
    path = many.with_name("spoilt.txt")
    path.write_bytes(b"\n".join(lines))
    return path


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--scores", "--nbest", 2, "--alignment"), marks=pytest.mark.slow),
        pytest.param(("--sample", "--json"), marks=pytest.mark.slow),
        pytest.param(("--window", 20, "--scores"), marks=pytest.mark.slow),
    ],
    ids=lambda options: "".join(map(str, options)) or "plain",
)
def test_continuing_gives_the_bytes_of_an_uninterrupted_run(saccade, model, many, tmp_path, options):
    whole, out = tmp_path / "whole.txt", tmp_path / "out.txt"
    assert saccade("translate", model, many, "--output", whole, *options).code == 0
    bad = spoilt(many)
    stopped = saccade("translate", model, bad, "--output", out, *options)
    assert stopped.code == 2
    assert stopped.err.count("\n") == 1
    assert f"139 lines are kept in `{out}.part`: the same command with --continue goes on from there" in stopped.err
    assert not out.exists()
    part = out.with_name("out.txt.part").read_bytes()
    assert whole.read_bytes().startswith(part[: json.loads((tmp_path / "out.txt.part.json").read_text())["bytes"][0]])
    bad.write_bytes(many.read_bytes())
    assert saccade("translate", model, bad, "--output", out, *options, "--continue").code == 0
    assert out.read_bytes() == whole.read_bytes()
    assert names(tmp_path) == {"whole.txt", "out.txt", "many.txt", "spoilt.txt"}


@pytest.mark.slow
def test_a_report_goes_on_as_well(saccade, model, many, tmp_path):
    options = ("--on-error", "skip", "--report")
    lines = many.read_text().split("\n")
    lines[3] = lines[100] = "dog " * 50
    bad = tmp_path / "bad.txt"
    bad.write_text("\n".join(lines))
    command = ("translate", model, bad, "--output")
    whole = saccade(*command, tmp_path / "whole.txt", *options, tmp_path / "whole.jsonl")
    interrupted = f"""
import sys
import saccade.cli.translated_lines as lines
from saccade.cli.main import main

written = lines.write_translation
def write(translation, form, writer):
    if translation.number == 120:
        raise KeyboardInterrupt
    written(translation, form, writer)

import saccade.cli.translate as translate
translate.write_translation = write
sys.argv = ["saccade", *{[*map(str, (*command, tmp_path / "out.txt", *options, tmp_path / "out.jsonl"))]!r}]
main()
"""
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "119 lines are kept" in done.stderr
    ended = saccade(*command, tmp_path / "out.txt", *options, tmp_path / "out.jsonl", "--continue")
    assert ended.code == 0, ended.err
    assert ended.err == whole.err
    for suffix in ("txt", "jsonl"):
        assert (tmp_path / f"out.{suffix}").read_bytes() == (tmp_path / f"whole.{suffix}").read_bytes()
    assert names(tmp_path) == {"many.txt", "bad.txt", "whole.txt", "whole.jsonl", "out.txt", "out.jsonl"}


@pytest.mark.slow
def test_a_killed_translation_goes_on(saccade, model, many, tmp_path):
    many.write_text(many.read_text() * 4)
    out, whole = tmp_path / "out.txt", tmp_path / "whole.txt"
    options = "--scores", "--window", "16"
    command = [sys.executable, "-m", "saccade.cli.main", "translate", model, many, "--output", out, *options]
    state = tmp_path / "out.txt.part.json"
    with subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}) as process:
        while process.poll() is None and not (state.exists() and json.loads(state.read_text())["lines"] > 60):
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert not out.exists()
    assert saccade("translate", model, many, "--output", out, *options, "--continue").code == 0
    assert saccade("translate", model, many, "--output", whole, *options).code == 0
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_a_kill_between_the_last_renames_costs_nothing(saccade, model, many, tmp_path, monkeypatch, renamed):
    command = ("translate", model, many, "--output", tmp_path / "out.txt", "--report", tmp_path / "out.jsonl")
    finish, done = OutputFile.finish, []

    def killed(output, file):
        if len(done) == renamed:
            raise KeyboardInterrupt
        finish(output, file)
        done.append(output)
        if len(done) == renamed == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutputFile, "finish", killed)
        assert saccade(*command).code == 130
    assert (tmp_path / "out.txt").exists() == (renamed > 0)
    ended = saccade(*command, "--continue")
    assert (ended.code, ended.err) == (0, f"{tmp_path / 'out.txt'}: {NOTHING_LEFT}\n")
    assert names(tmp_path) == {"many.txt", "out.txt", "out.jsonl"}
    assert (tmp_path / "out.txt").read_text().count("\n") == many.read_text().count("\n")


def test_a_kill_when_all_is_done_costs_nothing(saccade, model, many, tmp_path):
    command = ("translate", model, many, "--output", tmp_path / "out.txt")
    assert saccade(*command).code == 0
    before = (tmp_path / "out.txt").read_bytes()
    ended = saccade(*command, "--continue")
    assert (ended.code, ended.err) == (0, f"{tmp_path / 'out.txt'}: {NOTHING_LEFT}\n")
    assert names(tmp_path) == {"many.txt", "out.txt"}
    assert (tmp_path / "out.txt").read_bytes() == before


@pytest.fixture
def stopped(saccade, model, many, tmp_path):
    """A translation that stopped at line 140, and how to call it."""
    command = ("translate", model, spoilt(many), "--output", tmp_path / "out.txt")
    assert saccade(*command).code == 2
    return command


def test_it_is_neither_begun_again_nor_lost_unasked(saccade, stopped, tmp_path):
    part = (tmp_path / "out.txt.part").read_bytes()
    ended = saccade(*stopped)
    assert ended.code == 2
    assert "Add --continue to go on, or --overwrite to begin again" in ended.err
    assert (tmp_path / "out.txt.part").read_bytes() == part
    assert saccade(*stopped, "--overwrite", "--on-error", "skip").code == 0
    assert (tmp_path / "out.txt").read_text().count("\n") == 150


@pytest.mark.parametrize(
    ("more", "named"),
    [(("--beam", 1), "size"), (("--alpha", 1), "alpha"), (("--scores",), "scores"), (("--prefix", "she"), "prefix")],
)
def test_other_settings_are_refused_by_name(saccade, stopped, more, named, tmp_path):
    before = (tmp_path / "out.txt.part").read_bytes()
    ended = saccade(*stopped, "--continue", *more)
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith(f"error: `{named}` must be as it was when")
    assert (tmp_path / "out.txt.part").read_bytes() == before


def test_another_input_is_refused(saccade, stopped, model, many, tmp_path):
    lines = many.read_text().splitlines(keepends=True)
    before = (tmp_path / "out.txt.part").read_bytes()
    for other in (["dog\n", *lines[1:]], lines[:20]):
        many.write_text("".join(other))
        ended = saccade("translate", model, many, "--output", tmp_path / "out.txt", "--continue")
        assert ended.code == 2
        assert "lines of the input must be those that" in ended.err
        assert (tmp_path / "out.txt.part").read_bytes() == before


def test_another_model_is_refused(saccade, stopped, model, tmp_path, make_other_model):
    ended = saccade("translate", make_other_model(), *stopped[2:], "--continue")
    assert ended.code == 2
    assert "`model` must be as it was" in ended.err


def test_nothing_to_continue_is_a_line(saccade, model, many, tmp_path):
    ended = saccade("translate", model, many, "--output", tmp_path / "out.txt", "--continue")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert f"`--continue` must find `{tmp_path / 'out.txt.part'}`, but there is none" in ended.err
    assert "must come with --output" in saccade("translate", model, many, "--continue").err
    assert "`/` must be a file, but is a folder" in saccade("translate", model, many, "--output", "/", "--continue").err
    (tmp_path / "out.txt").touch()  # an empty file is no translation
    assert saccade("translate", model, many, "--output", tmp_path / "out.txt", "--continue").code == 2


@pytest.mark.parametrize("name", ["out.txt.part", "out.txt.part.json"])
def test_somebody_elses_part_is_left_alone(saccade, model, many, tmp_path, name):
    (tmp_path / name).write_text("mine")
    for more in ((), ("--overwrite",), ("--continue",)):
        ended = saccade("translate", model, many, "--output", tmp_path / "out.txt", *more)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert (tmp_path / name).read_text() == "mine"
        assert names(tmp_path) == {name, "many.txt"}


def test_a_damaged_record_of_it_is_refused(saccade, stopped, tmp_path):
    state = tmp_path / "out.txt.part.json"
    state.write_text(state.read_text().replace('"lines": 96', '"lines": 97'))
    ended = saccade(*stopped, "--continue")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "out.txt.part.json` must be" in ended.err


def test_nothing_done_leaves_nothing(saccade, model, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"\xff\n")
    ended = saccade("translate", model, tmp_path / "bad.txt", "--output", tmp_path / "out.txt")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "--continue" not in ended.err
    assert names(tmp_path) == {"bad.txt"}


LIMITED = """
import resource, signal, sys
from saccade.cli.main import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.argv = ["saccade", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
def test_a_disk_that_fills_up_keeps_what_is_done(saccade, model, many, tmp_path):
    command = ["translate", str(model), str(many), "--output", str(tmp_path / "out.txt"), "--scores"]
    done = subprocess.run([sys.executable, "-c", LIMITED, *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the disk is full" in done.stderr
    assert "--continue goes on from there" in done.stderr
    assert saccade(*command, "--continue").code == 0
    assert saccade(*command[:3], "--scores").out == (tmp_path / "out.txt").read_text()


def test_a_report_begins_and_ends_with_the_output(saccade, model, many, stopped, tmp_path):
    ended = saccade(*stopped, "--report", tmp_path / "out.jsonl", "--continue")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "`report` must be as it was when" in ended.err
    assert saccade(*stopped, "--report", tmp_path / "out.jsonl", "--overwrite").code == 2
    ended = saccade(*stopped, "--continue")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "`report` must be as it was when" in ended.err
    assert {"out.txt.part", "out.txt.part.json", "out.jsonl.part"} < names(tmp_path)


@pytest.mark.parametrize("report", [(), ("--report", "other.jsonl")])
def test_what_is_finished_leaves_no_report_behind(saccade, model, many, tmp_path, monkeypatch, report):
    def killed(*_):
        raise KeyboardInterrupt

    command = ("translate", model, many, "--output", tmp_path / "out.txt")
    with monkeypatch.context() as patch:
        patch.setattr(OutputFile, "finish", killed)
        assert saccade(*command, "--report", tmp_path / "out.jsonl").code == 130
    before = names(tmp_path)
    ended = saccade(*command, "--continue", *(tmp_path / one if one == "other.jsonl" else one for one in report))
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert ("other.jsonl.part` must be there" if report else "`report` must be as it was") in ended.err
    assert names(tmp_path) == before
    assert saccade(*command, "--report", tmp_path / "out.jsonl", "--continue").code == 0
    assert names(tmp_path) == {"many.txt", "out.txt", "out.jsonl"}
