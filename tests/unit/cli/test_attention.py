import json

import pytest


@pytest.fixture
def files(tmp_path):
    (tmp_path / "s").write_text("one dog runs\ntwo men talk\n")
    (tmp_path / "t").write_text("she reads\nthe old school\n")
    (tmp_path / "links").write_text("0-0 2-1\n0-0 1-1 2-2\n")
    return "--source", tmp_path / "s", "--target", tmp_path / "t"


def test_alignment_and_faithfulness_are_printed(saccade, model, files, tmp_path):
    ended = saccade("attention", model, *files, "--links", tmp_path / "links")
    assert ended.code == 0
    assert "layer 1" in ended.out
    assert "2 sentences, 7 target tokens." in ended.out


def test_without_links_only_faithfulness_is_tested(saccade, model, files):
    held = json.loads(saccade("attention", model, *files, "--drop", 2, "--limit", 1, "--json").out)
    assert held["readings"] == []
    assert held["faithfulness"]["dropped"] == 2
    assert held["faithfulness"]["sentences"] == 1


def test_what_is_missing_or_does_not_fit_is_one_line(saccade, model, files, tmp_path):
    (tmp_path / "links").write_text("0-0\n")
    (tmp_path / "long").write_text("she reads\n" + "one " * 40 + "\n")
    for arguments, said in (
        (files[:2], "`--corpus`, or `--source` and `--target`"),
        ((*files, "--corpus", "reordering"), "exactly one"),
        ((*files, "--links", tmp_path / "links"), "same sentences"),
        ((*files, "--drop", 9), "more than 9 positions"),
        ((*files[:3], tmp_path / "long"), "line 2 has 40"),
    ):
        ended = saccade("attention", model, *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.count("\n") == 1
        assert said in ended.err
