"""Documents through the command line: a file in, a file out; problems as for lines."""

import json

import pytest

PAGE = '<p title="one dog">she <b>reads</b>. two men talk.</p>\r\n<pre>one dog</pre>'


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(PAGE.encode())
    return path


def test_a_document_becomes_a_document(saccade, model, page, tmp_path):
    output = tmp_path / "out.html"
    assert saccade("translate", model, page, "--output", output).code == 0
    found = output.read_bytes().decode()
    assert found.startswith('<p title="')
    assert found.endswith("</p>\r\n<pre>one dog</pre>")
    assert found.count("<b>") == found.count("</b>") == 1
    assert saccade("translate", model, page).out.encode() == output.read_bytes()
    assert "must be a new file" in saccade("translate", model, page, "--output", output).err


def test_json_has_the_sentences_of_a_document(saccade, model, page):
    objects = [json.loads(line) for line in saccade("translate", model, page, "--json").lines]
    assert [one["source"] for one in objects] == ["one dog", "she reads.", "two men talk."]


def test_a_document_can_be_taken_as_lines(saccade, model, page):
    assert len(saccade("translate", model, page, "--no-split", "--truncate").lines) == 2


def test_a_damaged_document_is_one_line_of_error(saccade, model, tmp_path):
    path, output = tmp_path / "a.json", tmp_path / "out.json"
    path.write_text('{"a": ')
    ended = saccade("translate", model, path, "--output", output)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: `{path}` must be JSON, but is not: ")
    assert not output.exists()


@pytest.mark.parametrize("option", [["--nbest", 2], ["--alignment"], ["--prefix", "one"], ["--scores"]])
def test_options_that_a_document_cannot_have_are_refused(saccade, model, page, option):
    ended = saccade("translate", model, page, *option)
    assert ended.code == 2
    assert f"`{option[0]}` must not come with `{page}`, which is translated as a document (HTML)" in ended.err


def test_lines_are_never_lost_however_long(saccade, model, tmp_path):
    path, output = tmp_path / "a.txt", tmp_path / "out.txt"
    path.write_bytes(b"dog " * 100 + b"\r\n\r\n\xef\xbb\xbf\xf0\x9f\x98\x80\n\ttwo men. she reads.")
    ended = saccade("translate", model, path, "--output", output)
    assert (ended.code, ended.err) == (0, "")
    lines = output.read_text().split("\n")
    assert len(lines) == 5
    assert lines[1] == ""
    assert lines[3].startswith("\t")
