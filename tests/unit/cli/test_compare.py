from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "must be finished runs, or `--recipe`"),
        (("run", "--recipe", "tiny"), "must be finished runs, or `--recipe`"),
        (("--recipe", "tini"), "Did you mean 'tiny'"),
        (("--recipe", "tiny", "--models", "transfomer"), "Did you mean 'transformer'"),
        (("--recipe", "tiny", "--models", "ngram"), "must be systems for translation"),
        (("--recipe", "tiny", "--budget", "a while"), "Write 10m or 90s"),
        (("--recipe", "tiny", "--parameters", "many"), "must be a number such as 5M"),
        (("--recipe", "tiny", "--models", "transformer:width=4096"), "parameters within 5%, but has"),
        (("--recipe", "tiny", "--models", "transformer:widthh=64"), "Did you mean 'model.width'?"),
        (("--recipe", "tiny", "--models", "rnnsearch:score=dot"), "'dot' multiplies query and key"),
        (("--recipe", "tiny", "--set", "data.corpus=none"), "must have a test split"),
        (("--recipe", "tiny", "--report-only"), "holds no comparison"),
        (("nowhere",), "must be a finished run"),
        (("report.json",), "`report.json` must be readable"),
    ],
)
def test_mistakes_end_in_one_line_and_leave_nothing_behind(saccade, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    ended = saccade("compare", *arguments, *(("--out", tmp_path / "out", "--device", "cpu")))
    assert ended.code == 2
    (line,) = ended.err.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_report_is_drawn_where_it_is_asked_for(saccade, tmp_path):
    report = Path(__file__).parents[3] / "docs" / "lineage" / "report.json"
    for _ in range(2):  # what was drawn there may be drawn again
        assert saccade("compare", report, "--out", tmp_path / "elsewhere").code == 0
    assert {path.name for path in (tmp_path / "elsewhere").iterdir()} == {"figures", "report.html", "report.json"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear reader", encoding="utf-8")
    ended = saccade("compare", report, "--out", tmp_path / "mine")
    assert ended.code == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
