import json

import pytest

from saccade.comparison.plan import base_recipe
from saccade.comparison.throughput import steps_per_second
from saccade.errors import ConfigError, RunError


def scores(out, label):
    report = json.loads((out / "report.json").read_text())
    (system,) = [one for one in report["systems"] if one["label"] == label]
    return system["score"]["values"]


@pytest.mark.slow
def test_side_by_side_gives_what_one_by_one_gives(comparison, asked, comparing, tmp_path):
    _, said = comparing(asked("transformer"), tmp_path, parallel=2)
    assert scores(tmp_path, "transformer") == scores(comparison, "transformer")
    assert json.loads((tmp_path / "report.json").read_text())["speed_is_shared"]
    assert sum("of 2 after" in line for line in said) == 2


@pytest.mark.slow
def test_a_run_that_fails_does_not_stop_the_others(asked, comparing, tmp_path):
    models = "transformer:training.learning_rate_factor=1e38,transformer"
    with pytest.raises(RunError, match="1 did not: transformer:training"):
        comparing(asked(models, seeds=1), tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    assert [system["label"] for system in report["systems"]] == ["transformer"]
    assert list(report["failures"]) == ["transformer:training.learning_rate_factor=1e38, seed 1"]
    assert "must be finite" in (tmp_path / "report.html").read_text()


def test_no_processes_at_all_are_refused(asked, comparing, tmp_path):
    with pytest.raises(ConfigError, match="`--parallel` must be 1"):
        comparing(asked(), tmp_path, parallel=0)


@pytest.mark.slow
def test_a_throughput_measurement_tells_the_speed_and_leaves_nothing_behind(asked, tmp_path):
    request = asked()
    recipe = base_recipe(request.recipe, request.overrides)
    assert steps_per_second(recipe, tmp_path / "rehearsal", 0.05, "cpu") > 0
    assert not (tmp_path / "rehearsal").exists()
