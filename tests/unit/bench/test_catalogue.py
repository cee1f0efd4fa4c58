import importlib.util
import re
from pathlib import Path

import pytest
from bench import catalogue
from bench.__main__ import main
from bench.catalogue import BENCHES, listing, obstacles
from bench.implementations import Implementation

MEASUREMENTS = Path(__file__).parents[3] / "docs" / "benchmarks.md"


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.command)
def test_every_bench_is_there(bench):
    spec = importlib.util.find_spec(bench.command)
    assert spec is not None
    if spec.submodule_search_locations:  # a folder is run by its __main__.py
        assert importlib.util.find_spec(f"{bench.command}.__main__") is not None


def test_every_bench_that_the_measurements_name_is_listed():
    named = re.findall(r"`python -m (bench[a-z_.0-9]*)", MEASUREMENTS.read_text(encoding="utf-8"))
    startup = "bench.startup"  # one of the tables of `python -m bench`
    assert set(named) - {startup} <= {bench.command for bench in BENCHES}


def test_what_is_missing_is_said_and_only_that(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("SACCADE_DATA", raising=False)
    lines = {line.split()[2]: line for line in listing()}
    assert lines["bench.shipped"].endswith("needs corpora in $SACCADE_DATA")
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    assert main(["list"]) == 0
    shown = {line.split()[2]: line for line in capsys.readouterr().out.splitlines()}
    assert shown["bench.shipped"].endswith("can run here")
    assert list(shown) == [bench.command for bench in BENCHES]


def test_peers_that_cannot_be_had_are_named_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    (tmp_path / "sockeye.failed").write_text("no wheel for this machine\n", encoding="utf-8")
    (tmp_path / "eole").mkdir()
    (tmp_path / "eole" / "ready").touch()
    peers = [Implementation(name, name, "", name) for name in ("sockeye", "eole", "joeynmt")]
    assert list(obstacles(peers)) == [
        "sockeye is left out: no wheel for this machine (remove sockeye.failed to try again)",
        "joeynmt is installed first, which takes minutes",
    ]
