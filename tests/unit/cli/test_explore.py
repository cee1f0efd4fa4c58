import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from saccade.cli import demo

SENTENCE = "two men talk"


def test_without_a_model_one_line_teaches(saccade):
    ended = saccade("explore")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "saccade explore en-es" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["MODEL", "--open", "x.json"], "`--open` must come alone"),
        (["MODEL", "--export", "x.html"], "`--sentence` must be given"),
        (["MODEL", "--live"], "`--live` must come with a model and `--export`"),
        (["--open", "nothing.json"], "nothing.json"),
        (["MODEL", "--port", "99999"], "--port"),
        (["MODEL", "--view", "haet"], "Did you mean 'heat'?"),
        (["MODEL", "--sentence", "two", "--export", "no/such/folder/x.html"], "must be in a folder that is there"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(saccade, model, arguments, said):
    ended = saccade("explore", *[str(model) if one == "MODEL" else one for one in arguments])
    assert ended.code == 2
    assert said in ended.err


def test_a_page_is_written_with_everything_inside(saccade, model, tmp_path):
    page = tmp_path / "out.html"
    ended = saccade("explore", model, "--sentence", SENTENCE, "--export", page, "--view", "heat", "--detail", "weights")
    assert ended.code == 0, ended.err
    written = page.read_text(encoding="utf-8")
    assert SENTENCE in written
    assert '"#/heat"' in written
    assert re.search(r"out\.html: \d+\.\d MB", ended.out)


def test_numbers_are_written_and_open_again(saccade, model, tmp_path):
    file, page = tmp_path / "trace.json", tmp_path / "out.html"
    assert saccade("explore", model, "--sentence", SENTENCE, "--trace", file).code == 0
    trace = json.loads(file.read_text(encoding="utf-8"))
    assert trace["schema"] == "explore-trace/1"
    assert trace["source_text"] == SENTENCE
    assert saccade("explore", "--open", file, "--export", page).code == 0
    assert page.stat().st_size > 100_000


def test_several_models_stand_in_one_file_under_names_of_their_own(saccade, model, tmp_path):
    file = tmp_path / "traces.json"
    options = ["--sentence", SENTENCE, "--detail", "weights", "--trace", file]
    assert saccade("explore", model, model, *options).code == 0
    shown = json.loads(file.read_text(encoding="utf-8"))
    first, second = (one["id"] for one in shown["models"])
    assert second == f"{first}-2"
    assert [(trace["model"]["id"], trace["role"]) for trace in shown["traces"]] == [
        (first, "own"),
        (second, "own"),
        (second, "forced"),
    ]


def test_a_translation_can_be_forced(saccade, model, tmp_path):
    file = tmp_path / "trace.json"
    assert saccade("explore", model, "--sentence", SENTENCE, "--force", "she reads", "--trace", file).code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["output"]["text"] == "she reads"


def test_a_broken_file_is_refused_by_name(saccade, tmp_path):
    file = tmp_path / "trace.json"
    file.write_text("{}")
    ended = saccade("explore", "--open", file)
    assert ended.code == 2
    assert "trace.json must be of the kind" in ended.err


def test_the_demo_ends_with_a_page_of_its_model(monkeypatch, capsys, model, tmp_path):
    monkeypatch.setattr(demo, "WORDS", ("two men talk", "she reads", "one dog runs", "not shown"))
    page = tmp_path / "demo.html"
    demo._show(model, page)
    said = capsys.readouterr().out
    assert page.as_uri() in said
    assert f"saccade explore {tmp_path}" in said
    assert page.stat().st_size > 100_000


@pytest.mark.slow
def test_it_serves_until_it_is_stopped_and_then_ends_well(model):
    command = [sys.executable, "-m", "saccade.cli.main", "explore", str(model), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        address = running.stdout.readline().split()[0]
        with urllib.request.urlopen(f"{address}api/health", timeout=60) as answer:
            assert json.load(answer)["status"] == "ok"
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (0, "")


def test_only_a_file_of_this_command_is_replaced(saccade, model, tmp_path):
    page, trace = tmp_path / "page.html", tmp_path / "trace.json"
    written = ("explore", model, "--sentence", SENTENCE, "--export", page, "--trace", trace)
    assert saccade(*written).code == 0
    assert saccade(*written).code == 0
    for path, option in ((page, "--export"), (trace, "--trace")):
        path.write_text("mine\n")
        ended = saccade("explore", model, "--sentence", SENTENCE, option, path)
        assert (ended.code, path.read_text()) == (2, "mine\n")
        assert f"`{path}` must be a new file, but exists" in ended.err


def test_a_trace_goes_into_a_device_and_does_not_replace_it(saccade, model):
    assert saccade("explore", model, "--sentence", SENTENCE, "--trace", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_a_trace_through_standard_output_is_nothing_but_the_trace(saccade, model):
    ended = saccade("explore", model, "--sentence", SENTENCE, "--trace", "/dev/stdout")
    assert json.loads(ended.out)["source_text"] == SENTENCE
