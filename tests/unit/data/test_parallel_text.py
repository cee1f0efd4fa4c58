import gzip
import json
import lzma
import os
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data import parallel_text
from saccade.data.parallel_text import (
    EMPTY,
    OUT_OF_PROPORTION,
    TOO_LONG,
    CorpusReport,
    Limits,
    PairFiles,
    lines_or_errors,
    read_lines,
    read_pairs,
)
from saccade.errors import InputError

# Everything a line of UTF-8 may hold; a \r at its end and a byte order mark at the start of a file are not text.
LINE = st.text(st.characters(exclude_characters="\n\r\0\ufeff", exclude_categories=["Cs"]))
SIDE = LINE.filter(lambda text: text.strip() and "\t" not in text)


def write(path: Path, text: str) -> Path:
    content = text.encode()
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".xz":
        content = lzma.compress(content)
    path.write_bytes(content)
    return path


def pairs_of(files: PairFiles, report: CorpusReport | None = None, limits: Limits | None = None):
    return list(read_pairs(files, report or CorpusReport(), limits))


@settings(max_examples=50, deadline=None)
@given(lines=st.lists(LINE, min_size=1), suffix=st.sampled_from([".txt", ".gz", ".xz"]))
def test_lines_come_back_as_written(lines, suffix, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("lines") / f"file{suffix}", "".join(f"{line}\n" for line in lines))
    assert list(read_lines(path)) == lines


@settings(max_examples=50, deadline=None)
@given(pairs=st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=7))
def test_every_form_of_corpus_gives_the_same_pairs(pairs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    source = write(folder / "a.xz", "".join(f"{left}\n" for left, _ in pairs))
    target = write(folder / "b.gz", "".join(f"{right}\n" for _, right in pairs))
    tabbed = write(folder / "c.tsv.gz", "".join(f"{left}\t{right}\tsomeone\n" for left, right in pairs))
    objects = write(
        folder / "d.jsonl", "".join(json.dumps({"source": left, "target": right}) + "\n" for left, right in pairs)
    )
    lists = write(folder / "e.jsonl.xz", "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs))
    no_limits = Limits(ratio=float("inf"))
    assert pairs_of(PairFiles(source, target), limits=no_limits) == pairs
    for path in (tabbed, objects, lists):
        assert pairs_of(PairFiles(path), limits=no_limits) == pairs


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
        patch.setattr(parallel_text, "BLOCK", block)
        assert list(read_lines(path)) == expected


@pytest.mark.parametrize("number", [1, 2, 19])
def test_a_line_too_long_is_refused_with_its_number(number, tmp_path, monkeypatch):
    monkeypatch.setattr(parallel_text, "BLOCK", 7)
    monkeypatch.setattr(parallel_text, "LONGEST_LINE", 23)
    path = write(tmp_path / "a", "".join(f"{'x' * (31 if line == number else 5)}\n" for line in range(1, 29)))
    with pytest.raises(InputError, match=f"a:{number}` must be a line of text"):
        list(read_lines(path))


def test_a_bad_byte_in_a_later_block_is_refused_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel_text, "BLOCK", 64)
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


def test_unequal_line_counts_name_both_files_and_counts(tmp_path):
    source, target = write(tmp_path / "a.de", "x\n" * 7), write(tmp_path / "b.en", "y\n" * 11)
    with pytest.raises(InputError, match=r"a\.de.*b\.en.*7 and 11"):
        pairs_of(PairFiles(source, target))
    with pytest.raises(InputError, match=r"b\.en.*a\.de.*11 and 7"):
        pairs_of(PairFiles(target, source))


@pytest.mark.parametrize("name", ["a.txt", "a.gz", "a.tsv", "a.jsonl"])
def test_an_empty_file_is_refused(name, tmp_path):
    path = write(tmp_path / name, "")
    with pytest.raises(InputError, match="empty"):
        pairs_of(PairFiles(path, path if name in ("a.txt", "a.gz") else None))


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


def test_a_tsv_line_without_tab_is_refused_with_its_line(tmp_path):
    with pytest.raises(InputError, match=r"a\.tsv:2.*no tab"):
        pairs_of(PairFiles(write(tmp_path / "a.tsv", "a\tb\nc\n")))


@pytest.mark.parametrize(
    "line", ["no json", "5", '{"source": "a"}', '["a"]', '["a", 5]', '["a", "\\ud800"]', '["a", "\\u0000"]', "[" * 9999]
)
def test_a_json_line_that_is_no_pair_is_refused_with_its_line(line, tmp_path):
    with pytest.raises(InputError, match=r"a\.jsonl:2"):
        pairs_of(PairFiles(write(tmp_path / "a.jsonl", f'["a", "b"]\n{line}\n')))


def test_a_line_break_inside_json_becomes_a_space(tmp_path):
    assert pairs_of(PairFiles(write(tmp_path / "a.jsonl", '["a\\nb", "c\\rd"]\n'))) == [("a b", "c d")]


def test_pairs_left_out_are_counted_with_their_lines(tmp_path):
    sources = ["a b", "", "c", "x" * 101, "d", "  ", "e"]
    targets = ["A B", "B", "\t", "y" * 90, "z" * 80, "F", "E"]
    source = write(tmp_path / "s", "\n".join(sources))
    target = write(tmp_path / "t", "\n".join(targets))
    report = CorpusReport()
    kept = pairs_of(PairFiles(source, target), report, Limits(characters=100, ratio=9.0, proportionate=60))
    assert kept == [("a b", "A B"), ("e", "E")]
    assert (report.read, report.kept) == (7, 2)
    assert {reason: entry.count for reason, entry in report.left_out.items()} == {
        EMPTY: 3,
        TOO_LONG: 1,
        OUT_OF_PROPORTION: 1,
    }
    assert report.left_out[EMPTY].examples == [f"{source}:{line}" for line in (2, 3, 6)]
    assert f"{source}:5" in str(report)


def test_a_short_pair_is_never_out_of_proportion(tmp_path):
    assert pairs_of(PairFiles(write(tmp_path / "a.tsv", "W\tD AH B AH L Y UW\n"))) == [("W", "D AH B AH L Y UW")]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(LINE, LINE).filter(lambda pair: "\t" not in pair[0] + pair[1]), min_size=1))
def test_every_pair_read_is_kept_or_counted(pairs):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "a.tsv", "".join(f"{left}\t{right}\n" for left, right in pairs))
        report = CorpusReport()
        kept = pairs_of(PairFiles(path), report, Limits(characters=5, ratio=2.0, proportionate=2))
    assert report.read == len(pairs)
    assert report.kept == len(kept)
    assert report.read == report.kept + sum(entry.count for entry in report.left_out.values())


def test_text_alone_gives_pairs_without_sources(tmp_path):
    text = write(tmp_path / "text.gz", "one two\n\nthree\tfour\n")
    report = CorpusReport()
    assert pairs_of(PairFiles(text, content="text"), report) == [("", "one two"), ("", "three\tfour")]
    assert (report.read, report.kept, report.count(EMPTY)) == (3, 2, 1)


def test_text_alone_is_one_file(tmp_path):
    with pytest.raises(InputError, match="`target` must be left out"):
        PairFiles(tmp_path / "a", tmp_path / "b", "text")


def test_a_label_is_one_word_and_in_no_proportion_to_its_text(tmp_path):
    source = write(tmp_path / "a", "x" * 999 + "\nshort\n\n")
    target = write(tmp_path / "b", " very  good\nbad\nbad\n")
    report = CorpusReport()
    pairs = pairs_of(PairFiles(source, target, "labelled"), report)
    assert pairs == [("x" * 999, "very_good"), ("short", "bad")]
    assert report.count(EMPTY) == 1


def test_reading_goes_on_after_a_line_that_is_no_text(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfeins\nzw\xffei\r\ndr\0ei\nvier")
    lines = list(lines_or_errors(tmp_path / "a"))
    assert [lines[0], lines[3]] == ["eins", "vier"]
    assert [(line.reason, line.text) for line in lines[1:3]] == [
        ("not UTF-8", "zw\ufffdei"),
        ("NUL byte", "dr\ufffdei"),
    ]


def test_a_line_longer_than_memory_should_hold_counts_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr("saccade.data.parallel_text.LONGEST_LINE", 1000)
    monkeypatch.setattr("saccade.data.parallel_text.BLOCK", 300)
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
        patch.setattr("saccade.data.parallel_text.BLOCK", block)
        found = list(lines_or_errors(path))
        strict = []
        with suppress(InputError):
            for line in read_lines(path):
                strict.append(line)
    content = b"\n".join(raw)
    assert len(found) == content.count(b"\n") + bool(content and not content.endswith(b"\n"))
    assert strict == list(takewhile(lambda line: isinstance(line, str), found))
