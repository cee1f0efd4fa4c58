import io
import json
import os
import subprocess
import sys

import pytest

PAIRS = [("one dog runs", "she reads the old street"), ("two men talk", "one dog"), ("she reads", "two men talk")]


@pytest.fixture
def expected(saccade, model, tmp_path):
    """What two aligned files give."""
    for name, side in (("s", 0), ("t", 1)):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS))
    return saccade("score", model, "--source", tmp_path / "s", "--target", tmp_path / "t").out


FORMS = {
    "tabs": "".join(f"{source}\t{target}\n" for source, target in PAIRS),
    "json": "".join(json.dumps({"source": source, "target": target}) + "\n" for source, target in PAIRS),
    "lists": "".join(json.dumps(pair) + "\n" for pair in PAIRS),
}


@pytest.mark.parametrize("form", ["tabs", *(pytest.param(form, marks=pytest.mark.slow) for form in ("json", "lists"))])
def test_pairs_are_read_from_standard_input(model, expected, form):
    command = [sys.executable, "-m", "saccade.cli.main", "score", str(model), *(["-"] if form == "tabs" else [])]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, input=FORMS[form], capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == (expected, "")


def test_a_file_of_pairs_can_be_named_alone(saccade, model, expected, tmp_path):
    for name, form in (("p.tsv", "tabs"), ("p.jsonl", "json")):
        (tmp_path / name).write_text(FORMS[form])
        assert saccade("score", model, tmp_path / name).out == expected


def test_output_goes_to_a_new_file(saccade, model, expected, tmp_path):
    command = ("score", model, "--source", tmp_path / "s", "--target", tmp_path / "t", "--output", tmp_path / "out")
    assert saccade(*command).out == ""
    assert (tmp_path / "out").read_text() == expected
    assert saccade(*command).code == 2
    assert saccade(*command[:-1], tmp_path / "t", "--overwrite").code == 2
    assert (tmp_path / "t").read_text().startswith("she reads")


def test_a_pair_that_is_too_long_can_be_skipped_or_cut_and_is_counted(saccade, model, tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text(f"one dog\tshe reads\n{'dog ' * 50}\tone\none\ttwo men\n")
    stopped = saccade("score", model, path)
    assert (stopped.code, "line 2 must have a source" in stopped.err) == (2, True)
    skipped = saccade("score", model, path, "--on-error", "skip")
    assert [bool(line) for line in skipped.out.split("\n")] == [True, False, True, False]
    assert skipped.err == "1 of 3 lines could not be scored: 1 too long (2).\n"
    objects = [json.loads(line) for line in saccade("score", model, path, "--on-error", "skip", "--json").lines]
    assert ["error" in one for one in objects] == [False, True, False]
    cut = saccade("score", model, path, "--truncate")
    assert all(cut.lines)
    assert cut.err == "1 of 3 lines was too long and was truncated (2).\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p", "--source", "s"), "both are given"),
        (("--target", "t"), "`--source` must be given"),
        (("p", "--on-error", "copy"), "`--on-error` must be stop or skip"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(saccade, model, arguments, message, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    ended = saccade("score", model, *arguments)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_evaluating_says_how_many_lines_were_truncated(saccade, model, tmp_path):
    (tmp_path / "s").write_text(f"one dog\n{'dog ' * 50}\n")
    (tmp_path / "t").write_text("she reads\ntwo men\n")
    ended = saccade("evaluate", model, "--source", tmp_path / "s", "--reference", tmp_path / "t", "--truncate")
    assert (ended.code, ended.err) == (0, "1 of 2 lines was too long and was truncated (2).\n")
