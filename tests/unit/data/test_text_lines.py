import gzip
import lzma
import os
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.text_files import LINE, write

from saccade.data import text_lines
from saccade.data.text_lines import lines_or_errors, read_lines
from saccade.errors import InputError


@settings(max_examples=50, deadline=None)
@given(lines=st.lists(LINE, min_size=1), suffix=st.sampled_from([".txt", ".gz", ".xz"]))
def test_lines_come_back_as_written(lines, suffix, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("lines") / f"file{suffix}", "".join(f"{line}\n" for line in lines))
    assert list(read_lines(path)) == lines


@settings(max_examples=50, deadline=None)
@given(
    lines=st.lists(st.text("aé€😀\r ", max_size=9), min_size=1, max_size=30),
    block=st.integers(1, 40),
    ended=st.booleans(),
)
def test_lines_are_whole_wherever_blocks_end(lines, block, ended, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("blocks") / "a", "\n".join(lines) + ("\n" if ended else ""))
    expected = [line.removesuffix("\r") for line in (lines if ended or lines[-1] else lines[:-1])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "BLOCK", block)
        assert list(read_lines(path)) == expected


@pytest.mark.parametrize("number", [1, 2, 19])
def test_a_line_too_long_is_refused_with_its_number(number, tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "BLOCK", 7)
    monkeypatch.setattr(text_lines, "LONGEST_LINE", 23)
    path = write(tmp_path / "a", "".join(f"{'x' * (31 if line == number else 5)}\n" for line in range(1, 29)))
    with pytest.raises(InputError, match=f"a:{number}` must be a line of text"):
        list(read_lines(path))


def test_a_bad_byte_in_a_later_block_is_refused_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "BLOCK", 64)
    (tmp_path / "a").write_bytes(b"good\n" * 100 + b"bad \xff\n" + b"good\n" * 100)
    with pytest.raises(InputError, match=r"a:101.*0xff at column 5"):
        list(read_lines(tmp_path / "a"))


def test_a_line_from_a_pipe_is_given_before_the_next_is_written():
    reading, writing = os.pipe()
    lines = read_lines(Path(f"/dev/fd/{reading}"))
    with os.fdopen(writing, "wb", buffering=0) as file:
        for text in ("eins", "zwei", "drei"):
            file.write(f"{text}\n".encode())
            assert next(lines) == text
    assert list(lines) == []
    os.close(reading)


def test_line_ends_of_windows_and_a_byte_order_mark_are_removed(tmp_path):
    assert list(read_lines(write(tmp_path / "a", "\ufeffeins\r\nzwei\r\ndrei"))) == ["eins", "zwei", "drei"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gut\nschlecht \xff\n", r"a:2.*UTF-8.*0xff at column 10"),
        (b"gut\nnull \0\n", r"a:2.*NUL"),
        ("abc\n".encode("utf-16"), r"a:1.*UTF-16"),
        (gzip.compress(b"text\n", mtime=0), r"a:1.*compressed.*\.gz"),
        (lzma.compress(b"text\n"), r"a:1.*compressed.*\.xz"),
    ],
)
def test_what_is_no_text_is_refused_with_file_and_line(content, message, tmp_path):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_lines(tmp_path / "a"))


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_damaged_archive_is_refused(suffix, compress, tmp_path):
    whole = compress("".join(f"line {number}\n" for number in range(5000)).encode())
    for content in (whole[: len(whole) // 2], b"no archive\n", whole[:-4]):
        path = tmp_path / f"a{suffix}"
        path.write_bytes(content)
        with pytest.raises(InputError, match=f"complete {suffix}"):
            list(read_lines(path))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "nothing", tmp_path, tmp_path / "nothing.gz", tmp_path / "nothing.xz"):
        with pytest.raises(InputError, match="readable file"):
            list(read_lines(path))


def test_reading_goes_on_after_a_line_that_is_no_text(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfeins\nzw\xffei\r\ndr\0ei\nvier")
    lines = list(lines_or_errors(tmp_path / "a"))
    assert [lines[0], lines[3]] == ["eins", "vier"]
    assert [(line.reason, line.text) for line in lines[1:3]] == [
        ("not UTF-8", "zw\ufffdei"),
        ("NUL byte", "dr\ufffdei"),
    ]


def test_a_line_longer_than_memory_should_hold_counts_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr("saccade.data.text_lines.LONGEST_LINE", 1000)
    monkeypatch.setattr("saccade.data.text_lines.BLOCK", 300)
    (tmp_path / "a").write_bytes(b"eins\n" + b"x" * 5000 + b"\ndrei\n" + b"y" * 5000)
    lines = list(lines_or_errors(tmp_path / "a"))
    assert [line if isinstance(line, str) else line.reason for line in lines] == [
        "eins",
        "too long",
        "drei",
        "too long",
    ]
    with pytest.raises(InputError, match=r"a:2.*longer than 1,000 bytes"):
        list(read_lines(tmp_path / "a"))


@given(st.lists(st.binary(max_size=12), max_size=30), st.integers(1, 9))
def test_reading_on_gives_the_lines_of_the_strict_reader_where_it_gives_any(tmp_path_factory, raw, block):
    path = tmp_path_factory.mktemp("lines") / "a"
    path.write_bytes(b"\n".join(raw))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("saccade.data.text_lines.BLOCK", block)
        found = list(lines_or_errors(path))
        strict = []
        with suppress(InputError):
            for line in read_lines(path):
                strict.append(line)
    content = b"\n".join(raw)
    assert len(found) == content.count(b"\n") + bool(content and not content.endswith(b"\n"))
    assert strict == list(takewhile(lambda line: isinstance(line, str), found))
