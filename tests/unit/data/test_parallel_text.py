import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.text_files import LINE, write

from saccade.data.corpus_report import CorpusReport
from saccade.data.parallel_text import EMPTY, OUT_OF_PROPORTION, TOO_LONG, Limits, PairFiles, read_pairs
from saccade.errors import InputError

SIDE = LINE.filter(lambda text: text.strip() and "\t" not in text)


def pairs_of(files: PairFiles, report: CorpusReport | None = None, limits: Limits | None = None):
    return list(read_pairs(files, report or CorpusReport(), limits))


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
