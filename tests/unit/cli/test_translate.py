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


@pytest.mark.slow
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
    link = text.with_name("link")
    link.symlink_to(text)
    assert saccade("translate", model, link, "--output", text, "--overwrite").code == 2
    assert text.read_text() == before


def test_columns_are_text_score_alignment(saccade, model):
    (line,) = saccade("translate", model, "one dog", "--scores", "--alignment").lines
    text, score, alignment = line.split("\t")
    assert float(score) < 0
    links = [tuple(map(int, link.split("-"))) for link in alignment.split()]
    assert all(0 <= source < 2 for source, _ in links)


def test_reranked_columns_are_the_combined_score_and_its_parts(saccade, model, make_other_model, text, tmp_path):
    asked = ("--rerank", make_other_model(), "--rerank-weight", "0.25", "--scores")
    ended = saccade("translate", model, text, *asked)
    for line in ended.lines:
        _, score, own, other = line.split("\t")
        assert float(score) == pytest.approx(0.75 * float(own) + 0.25 * float(other), abs=2e-3)
    saccade("translate", model, text, *asked, "--output", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines() == ended.lines


def test_more_outputs_than_the_beam_holds_widen_it(saccade, model):
    lines = saccade("translate", model, "one dog", "--nbest", 6).lines
    assert lines == saccade("translate", model, "one dog", "--beam", 6, "--nbest", 6).lines
    assert len(lines) > len(saccade("translate", model, "one dog", "--nbest", 2).lines)


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
        (("--beam", "2", "--nbest", "3"), "`nbest` must be from 1 to the beam size"),
        (("--window", "0"), "`window` must be at least 1"),
        (("--device", "abacus"), "`device` must be"),
        (("--input", "elsewhere"), "two are given"),
        (("--text", "elsewhere"), "two are given"),
        (("--rerank-weight", "0.3"), "`--rerank-weight` must come with --rerank"),
        (("--unknown-words", "copy"), "must come with a word vocabulary that has an unknown word"),
        (("--on-error", "ignore"), "`on_error` must be one of stop, skip, copy"),
    ],
)
def test_options_that_do_not_fit_are_refused(saccade, model, arguments, message):
    ended = saccade("translate", model, "one dog", *arguments)
    assert ended.code == 2
    assert message in ended.err


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(model):
    program = f"{sys.executable} -m saccade.cli.main translate {model} --window 1"
    command = f"yes 'one dog' | head -3000 | {program} | head -1"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_a_folder_is_not_translated(saccade, model, tmp_path, monkeypatch):
    (tmp_path / "texts" / "old").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name in ("texts/", "texts/old", "./texts", str(tmp_path)):
        ended = saccade("translate", model, name)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: `{name}` must be a file, but is a folder.")
    assert saccade("translate", model, "texts").code == 0  # a word


@pytest.mark.parametrize("name", ["missing.txt", "./missing", "missing.en", "/nowhere/at/all"])
def test_a_mistyped_file_is_not_translated(saccade, model, name):
    ended = saccade("translate", model, name)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: `{name}` looks like a file, but there is none")
    assert f"--text {name}" in ended.err


def test_a_text_that_is_said_to_be_one_is_not_taken_for_a_file(saccade, model, text, monkeypatch):
    monkeypatch.chdir(text.parent)
    lines = saccade("translate", model, "--text", "Node.js", "--text", text.name, "--json").lines
    assert [json.loads(line)["source"] for line in lines] == ["Node.js", text.name]


def test_several_files_are_not_taken_for_texts(saccade, model, text):
    ended = saccade("translate", model, text, text)
    assert (ended.code, ended.out) == (2, "")
    assert f"`{text}` is a file and not alone. Give one file at a time" in ended.err


def test_a_sentence_without_quotes_is_noticed(saccade, model):
    ended = saccade("translate", model, "one", "dog")
    assert len(ended.lines) == 2
    assert "Each argument is a text of its own. As one text: 'one dog'" in ended.err
    assert saccade("translate", model, "one dog", "two men").err == ""


@pytest.fixture
def bad_lines(tmp_path):
    """Seven lines, of which the model can read three as they are."""
    path = tmp_path / "bad.txt"
    path.write_bytes(
        b"one dog\n" + b"dog " * 50 + b"\ntwo \xff men\nshe reads\nnul \0\n" + b"men " * 40 + b"\ntwo men\n"
    )
    return path


SUMMARY = "4 of 7 lines could not be translated: 2 too long (2, 6), 1 not UTF-8 (3), 1 NUL byte (5).\n"


def test_skipping_leaves_an_empty_line_for_each_that_cannot_be_translated(saccade, model, bad_lines):
    ended = saccade("translate", model, bad_lines, "--no-split", "--on-error", "skip")
    good = saccade("translate", model, "one dog", "she reads", "two men").lines
    assert ended.out.split("\n") == [good[0], "", "", good[1], "", "", good[2], ""]
    assert (ended.code, ended.err) == (0, SUMMARY)


def test_copying_writes_the_line_itself(saccade, model, bad_lines):
    ended = saccade("translate", model, bad_lines, "--no-split", "--on-error", "copy")
    lines = ended.lines
    assert lines[1] == ("dog " * 50).strip()
    assert (lines[2], lines[4]) == ("two \ufffd men", "nul \ufffd")
    assert ended.err == SUMMARY


def test_a_report_lists_every_line_that_could_not_be_translated(saccade, model, bad_lines, tmp_path):
    report = tmp_path / "report.jsonl"
    saccade("translate", model, bad_lines, "--no-split", "--on-error", "skip", "--report", report)
    entries = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(entry["line"], entry["problem"]) for entry in entries] == [
        (2, "too long"),
        (3, "not UTF-8"),
        (5, "NUL byte"),
        (6, "too long"),
    ]
    assert "at most 31 tokens" in entries[0]["message"]
    assert entries[1]["source"] == "two \ufffd men"


def test_json_has_an_error_where_there_is_no_translation(saccade, model, bad_lines):
    objects = [
        json.loads(line)
        for line in saccade("translate", model, bad_lines, "--no-split", "--on-error", "skip", "--json").lines
    ]
    assert ["error" in one for one in objects] == [False, True, True, False, True, True, False]
    assert set(objects[1]) == {"line", "source", "text", "error"}


def test_columns_stay_in_place_where_there_is_no_translation(saccade, model, bad_lines):
    options = ("--on-error", "skip", "--scores", "--alignment", "--nbest", 2)
    lines = saccade("translate", model, bad_lines, *options).out.split("\n")
    assert [line for line in lines if line.startswith("2\t")] == ["2\t\t\t"]
    assert all(line.count("\t") == 3 for line in lines[:-1])


def test_what_is_truncated_is_counted_and_reported(saccade, model, bad_lines, tmp_path):
    report = tmp_path / "report.jsonl"
    ended = saccade("translate", model, bad_lines, "--truncate", "--on-error", "skip", "--report", report)
    assert "2 of 7 lines could not be translated: 1 not UTF-8 (3), 1 NUL byte (5)." in ended.err
    assert "2 of 7 lines were too long and were truncated (2, 6)." in ended.err
    assert [json.loads(line)["problem"] for line in report.read_text().splitlines()].count("truncated") == 2


def test_lines_before_a_bad_one_are_translated(saccade, model, bad_lines):
    bad_lines.write_bytes(b"one dog\nshe reads\n\xff\n")
    ended = saccade("translate", model, bad_lines)
    assert (ended.code, len(ended.lines)) == (2, 2)
    assert "must be UTF-8, but has byte 0xff" in ended.err


def test_n_best_texts_are_distinct(saccade, model, text):
    by_line = {}
    for line in saccade("translate", model, text, "--beam", 12, "--nbest", 8).lines:
        number, candidate = line.split("\t")
        by_line.setdefault(number, []).append(candidate)
    assert all(len(set(candidates)) == len(candidates) > 1 for candidates in by_line.values())


def test_half_a_surrogate_pair_is_written_as_a_question_mark(saccade, model):
    ended = saccade("translate", model, "--text", "dog \udcff", "--json")
    assert (ended.code, json.loads(ended.out)["source"]) == (0, "dog ?")


@pytest.mark.parametrize("text", ["two men talk.", "runs", "St.", "and/or", "3.5", "talk..."])
def test_a_text_is_not_taken_for_a_file(saccade, model, text):
    assert saccade("translate", model, text).code == 0


def test_swapped_languages_are_noticed_and_nothing_else_changes(saccade, tmp_path):
    lines = ["¿Dónde está la estación?", "Mi hermano trabaja.", "Tom vendría mañana.", "Tengo frío.", "No lo sé."]
    (tmp_path / "es").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ended = saccade("translate", "en-es", tmp_path / "es", "--device", "cpu", "--beam", 1)
    assert (ended.code, len(ended.lines)) == (0, 5)
    assert ended.err.startswith(
        "warning: The input looks like Spanish, but this model translates from English to Spanish."
    )
    one_by_one = saccade("translate", "en-es", tmp_path / "es", "--device", "cpu", "--beam", 1, "--window", 1)
    assert one_by_one.out == ended.out
    assert "looks like" not in one_by_one.err
