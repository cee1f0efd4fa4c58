from pathlib import Path

import pytest

from saccade.comparison import page
from saccade.comparison.compare import draw_again
from saccade.comparison.report import read_report, write_report
from saccade.errors import FormatError

REPORT = Path(__file__).parents[3] / "docs" / "lineage" / "report.json"


def without(key, folder):
    """A report that lacks something."""
    content = {name: value for name, value in read_report(REPORT).items() if name != key}
    write_report(content, folder / "report.json")
    return folder / "report.json"


@pytest.mark.slow
def test_a_report_that_cannot_be_drawn_to_its_end_leaves_nothing_behind(tmp_path):
    """A title is the last that is needed: the figures are drawn by then."""
    with pytest.raises(FormatError, match="damaged or altered"):
        draw_again(without("title", tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_was_interrupted_is_drawn_when_asked_for_again(tmp_path, monkeypatch):
    def interrupted(_, out):
        (out / "figures").mkdir(parents=True)
        raise KeyboardInterrupt

    def drawn(_, out):
        (out / "report.html").touch()

    monkeypatch.setattr(page, "write_page", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw_again(REPORT, tmp_path / "out")
    monkeypatch.setattr(page, "write_page", drawn)
    assert draw_again(REPORT, tmp_path / "out").page.is_file()
    assert read_report(tmp_path / "out" / "report.json").items() >= read_report(REPORT).items()
