import gzip
import json
import os
import subprocess
import sys

import pytest


def test_texts_become_lines(saccade, model):
    assert len(saccade("translate", model, "one dog", "two men talk").lines) == 2


def test_a_text_that_names_a_file_is_read_from_there(saccade, model, text):
    from_argument, from_option = saccade("translate", model, text), saccade("translate", model, "--input", text)
    assert len(from_argument.lines) == 4
    assert from_argument.out == from_option.out


def test_a_compressed_file_reads_like_a_plain_one(saccade, model, text, tmp_path):
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    assert saccade("translate", model, packed).out == saccade("translate", model, text).out


def test_standard_input_reads_like_a_file(saccade, model, text):
    command = [sys.executable, "-m", "saccade.cli.main", "translate", str(model), "--device", "cpu"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, input=text.read_bytes(), capture_output=True, check=True, env=environment)
    assert done.stdout.decode() == saccade("translate", model, text).out


def test_output_goes_to_a_file(saccade, model, text, tmp_path):
    assert saccade("translate", model, text, "--output", tmp_path / "out.txt").out == ""
    assert (tmp_path / "out.txt").read_text() == saccade("translate", model, text).out


def test_the_input_is_not_overwritten(saccade, model, text):
    before = text.read_text()
    for arguments in ((text,), ("--input", text)):
        ended = saccade("translate", model, *arguments, "--output", text)
        assert (ended.code, text.read_text()) == (2, before)
        assert "overwrite" in ended.err


def test_columns_are_text_score_alignment(saccade, model):
    (line,) = saccade("translate", model, "one dog", "--scores", "--alignment").lines
    text, score, alignment = line.split("\t")
    assert float(score) < 0
    links = [tuple(map(int, link.split("-"))) for link in alignment.split()]
    assert all(0 <= source < 2 for source, _ in links)


def test_nbest_lines_begin_with_the_number_of_their_source(saccade, model):
    lines = saccade("translate", model, "one dog", "two men", "--nbest", 2).lines
    assert [line.split("\t")[0] for line in lines] == ["1", "1", "2", "2"]


def test_json_is_one_object_a_line(saccade, model, text):
    objects = [json.loads(line) for line in saccade("translate", model, text, "--json", "--alignment").lines]
    assert [one["line"] for one in objects] == [1, 2, 3, 4]
    assert [one["source"] for one in objects] == text.read_text().splitlines()
    assert all(one["log_probability"] <= 0 for one in objects)


def test_an_empty_line_stays_an_empty_line(saccade, model, tmp_path):
    (tmp_path / "gaps").write_text("one dog\n\ntwo men\n")
    lines = saccade("translate", model, tmp_path / "gaps").out.split("\n")
    assert lines[1] == ""
    assert len(lines) == 4


def test_an_empty_file_has_an_empty_translation(saccade, model, tmp_path):
    (tmp_path / "empty").touch()
    ended = saccade("translate", model, tmp_path / "empty")
    assert (ended.code, ended.out) == (0, "")


def test_a_prefix_begins_every_translation(saccade, model, text):
    lines = saccade("translate", model, text, "--prefix", "she reads").lines
    assert all(line.startswith("she reads") for line in lines)


def test_a_seed_draws_the_same_again(saccade, model, text):
    first, again, other = (
        saccade("translate", model, text, "--sample", "--top-k", 50, "--seed", seed).out for seed in (7, 7, 8)
    )
    assert first == again != other


def test_an_ensemble_with_itself_changes_nothing(saccade, model, text):
    assert saccade("translate", model, text, "--ensemble", model).out == saccade("translate", model, text).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--temperature", "2"), "`--temperature` must come with --sample"),
        (("--sample", "--beam", "2"), "`--beam` must not come with --sample"),
        (("--sample", "--nbest", "2"), "`--nbest` must not come with --sample"),
        (("--sample", "--engine", "ctranslate2"), "`--engine` must be torch or auto with --sample"),
        (("--beam", "0"), "the beam size must be at least 1"),
        (("--nbest", "3"), "`nbest` must be from 1 to the beam size"),
        (("--window", "0"), "`window` must be at least 1"),
        (("--device", "abacus"), "`device` must be"),
        (("--input", "elsewhere"), "both are given"),
    ],
)
def test_options_that_do_not_fit_are_refused(saccade, model, arguments, message):
    ended = saccade("translate", model, "one dog", *arguments)
    assert ended.code == 2
    assert message in ended.err


def test_a_reader_that_leaves_is_no_error(model):
    program = f"{sys.executable} -m saccade.cli.main translate {model} --window 1"
    command = f"yes 'one dog' | head -3000 | {program} | head -1"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["missing.txt", "./missing", "missing.en", "/nowhere/at/all"])
def test_a_mistyped_file_is_not_translated(saccade, model, name):
    ended = saccade("translate", model, name)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: `{name}` looks like a file, but there is none")


@pytest.mark.parametrize("text", ["two men talk.", "runs", "St.", "and/or", "3.5", "talk..."])
def test_a_text_is_not_taken_for_a_file(saccade, model, text):
    assert saccade("translate", model, text).code == 0
