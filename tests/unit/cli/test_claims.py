import json
from dataclasses import replace

import pytest

from saccade.claims.catalogue import CLAIMS


def test_the_list_has_ids_costs_and_claims(saccade):
    ended = saccade("claims")
    assert ended.code == 0
    assert any(line.split()[:2] == ["A2", "instant"] for line in ended.lines)


def test_a_claim_is_measured_and_leaves_its_findings_and_a_page(saccade, tmp_path):
    ended = saccade("claims", "run", "w1", "A2", "--out", tmp_path)
    assert ended.code == 0
    assert [line.split()[:2] for line in ended.lines] == [["W1", "holds:"], ["A2", "holds:"]]
    assert json.loads((tmp_path / "A2.json").read_text())["verdict"] == "holds"
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.index('id="A2"') < page.index('id="W1"')


def test_what_was_measured_is_not_measured_again_unless_asked(saccade, tmp_path):
    saccade("claims", "run", "W1", "--out", tmp_path)
    path = tmp_path / "W1.json"
    held = json.loads(path.read_text())
    path.write_text(json.dumps({**held, "date": "1997-11-15"}))
    saccade("claims", "run", "W1", "--out", tmp_path)
    assert json.loads(path.read_text())["date"] == "1997-11-15"
    saccade("claims", "run", "W1", "--again", "--out", tmp_path)
    assert json.loads(path.read_text())["date"] == held["date"]


def test_a_claim_that_was_given_more_seeds_keeps_those_it_has(saccade, tmp_path, monkeypatch):
    claim = CLAIMS["A2"]
    saccade("claims", "run", "A2", "--out", tmp_path)
    before = json.loads((tmp_path / "A2.json").read_text())["findings"]
    monkeypatch.setitem(CLAIMS, "A2", replace(claim, seeds=claim.seeds + 1))
    ended = saccade("claims", "run", "A2", "--out", tmp_path)
    assert ended.code == 0
    held = json.loads((tmp_path / "A2.json").read_text())
    assert held["seeds"] == [*range(claim.seeds + 1)]
    assert held["findings"][:-1] == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A2.json", "index.html"]


def test_a_page_shows_also_what_earlier_runs_left(saccade, tmp_path):
    saccade("claims", "run", "W1", "--out", tmp_path)
    saccade("claims", "run", "W3", "--out", tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'id="W1"' in page
    assert 'id="W3"' in page


def test_a_table_is_written_where_it_is_asked_for(saccade, tmp_path):
    saccade("claims", "run", "W1", "--out", tmp_path, "--markdown", tmp_path / "claims.md")
    assert "| W1 | " in (tmp_path / "claims.md").read_text(encoding="utf-8")


def test_an_interruption_leaves_what_is_finished(saccade, tmp_path, monkeypatch):
    from saccade.claims import results

    measure = results.measure

    def interrupted(claim, *arguments, **settings):
        if claim.id == "W3":
            raise KeyboardInterrupt
        return measure(claim, *arguments, **settings)

    monkeypatch.setattr(results, "measure", interrupted)
    ended = saccade("claims", "run", "W1", "W3", "W5", "--out", tmp_path)
    assert ended.code == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["W1.json", "index.html"]


@pytest.mark.parametrize("arguments", [(), ("A2", "--all")])
def test_it_must_be_said_what_to_measure(arguments, saccade, tmp_path):
    ended = saccade("claims", "run", *arguments, "--out", tmp_path / "none")
    assert ended.code == 2
    assert "either ids of claims or `--all` must be given" in ended.err
    assert not (tmp_path / "none").exists()


def test_an_unknown_claim_is_answered_with_the_nearest(saccade, tmp_path):
    ended = saccade("claims", "run", "W33", "--out", tmp_path / "none")
    assert ended.code == 2
    assert "Did you mean 'W3'?" in ended.err
    assert not (tmp_path / "none").exists()


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was asked to open."""
    addresses = []
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


def test_show_opens_the_plot_of_what_was_measured_here(saccade, tmp_path, opened):
    saccade("claims", "run", "W1", "--out", tmp_path)
    ended = saccade("claims", "show", "w1", "--out", tmp_path)
    assert ended.code == 0
    assert opened == [(tmp_path / "W1.html").as_uri()]
    page = (tmp_path / "W1.html").read_text(encoding="utf-8")
    assert "<svg " in page
    assert 'id="A2"' not in page


def test_a_page_says_where_its_findings_are(saccade, tmp_path, opened):
    saccade("claims", "show", "W1", "--out", tmp_path)
    assert "recorded in the package" in (tmp_path / "W1.html").read_text(encoding="utf-8")
    saccade("claims", "run", "W1", "--out", tmp_path)
    saccade("claims", "show", "W1", "--out", tmp_path)
    assert "in the JSON file beside it" in (tmp_path / "W1.html").read_text(encoding="utf-8")


def test_show_only_says_where_the_page_is_if_asked(saccade, tmp_path, opened):
    saccade("claims", "run", "W1", "--out", tmp_path)
    ended = saccade("claims", "show", "W1", "--no-browser", "--out", tmp_path)
    assert ended.lines[-1] == str(tmp_path / "W1.html")
    assert opened == []


def test_show_says_how_to_measure_what_was_not(saccade, tmp_path, monkeypatch):
    monkeypatch.setattr("saccade.claims.results.RECORDED", tmp_path / "nothing")
    ended = saccade("claims", "show", "W1", "--out", tmp_path / "none")
    assert ended.code == 2
    assert "`saccade claims run W1`" in ended.err
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_seeds_run_side_by_side_and_leave_what_one_after_another_leaves(saccade, tmp_path):
    for parallel in (1, 2):
        done = saccade("claims", "run", "A2", "W4", "--out", tmp_path / str(parallel), "--parallel", parallel)
        assert done.code == 0, done.err
    ones, twos = (
        {path.name: json.loads(path.read_text()).get("findings") for path in (tmp_path / name).glob("*.json")}
        for name in ("1", "2")
    )
    assert ones.keys() == {"A2.json", "W4.json"}
    assert ones == twos
    done = saccade("claims", "run", "A2", "--out", tmp_path / "2", "--parallel", "2")
    assert "measured" not in done.err
    done = saccade("claims", "run", "A2", "--out", tmp_path / "2", "--parallel", "2", "--again")
    assert done.err.count("measured") == CLAIMS["A2"].seeds


def test_there_is_at_least_one_process(saccade, tmp_path):
    done = saccade("claims", "run", "A2", "--out", tmp_path / "x", "--parallel", "0")
    assert (done.code, done.err) == (2, "error: `--parallel` must be 1 or more, but is 0.\n")
    assert not (tmp_path / "x").exists()
