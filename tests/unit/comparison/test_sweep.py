import json
import signal
from dataclasses import replace

import pytest

from saccade.comparison.budget import read_budget
from saccade.comparison.plan import base_recipe
from saccade.comparison.sweep import RATES, SCALES, Sweep, Trial, check_sweep, peak_rate, short_request, trials
from saccade.comparison.system_spec import SystemSpec
from saccade.data.prepare import prepare
from saccade.errors import ConfigError


@pytest.fixture(scope="module")
def prepared(asked, tmp_path_factory):
    base = base_recipe("tiny", asked().overrides)
    return prepare(base.data, tmp_path_factory.mktemp("sweep") / "data")


def test_every_system_is_tried_in_the_same_ways_around_the_rate_of_the_recipe(asked, prepared):
    request = asked(sweep=read_budget("3steps"))
    base = base_recipe(request.recipe, request.overrides)
    made = trials(request, base, prepared)
    assert len(made) == len(request.systems) * len(RATES) * len(SCALES)
    by_system = [{(one.rate, one.scale) for one in made if one.system == system} for system in request.systems]
    assert by_system[0] == by_system[1]
    assert {rate for rate, _ in by_system[0]} == {peak_rate(base, prepared) * times for times in RATES}
    assert len({one.spec.label for one in made}) == len(made)
    assert short_request(request, made).systems[0].sets("training.initial_scale")


def test_a_rate_that_is_given_is_the_peak(asked, prepared):
    base = base_recipe("tiny", (*asked().overrides, "training.learning_rate=0.002", "training.learning_rate_factor=1"))
    assert peak_rate(base, prepared) == 0.002


def test_the_lowest_perplexity_decides_and_of_equal_ones_the_first():
    first, second = SystemSpec("seq2seq"), SystemSpec("transformer")
    found = {
        Trial(first, 0.1, 1.0): 9.0,
        Trial(first, 0.2, 1.0): 7.0,
        Trial(second, 0.1, 1.0): 5.0,
        Trial(second, 0.2, 1.0): 5.0,
    }
    sweep = Sweep(read_budget("5steps"), found)
    assert [one.settings[0] for one in sweep.systems] == ["training.learning_rate=0.2", "training.learning_rate=0.1"]
    told = sweep.to_json()
    assert [one["chosen"] for one in told["trials"]] == [False, True, True, False]
    assert told["budget"] == "5 steps"


def test_what_cannot_be_swept_is_refused(asked):
    with pytest.raises(ConfigError, match="must count steps, tokens or operations, but is '9s'"):
        check_sweep(asked(sweep=read_budget("9s")))
    request = asked("transformer:training.initial_scale=2", sweep=read_budget("9steps"))
    with pytest.raises(ConfigError, match="must leave `training.initial_scale` to the sweep"):
        check_sweep(request)
    check_sweep(replace(request, sweep=None))


def test_a_sweep_that_is_refused_leaves_nothing_behind(asked, comparing, tmp_path):
    request = asked("seq2seq:width=200", sweep=read_budget("2steps"))
    with pytest.raises(ConfigError, match="parameters within 5%, but has"):
        comparing(request, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_comparison_trains_with_what_the_sweep_found_and_shows_all_of_it(asked, comparing, tmp_path):
    request = asked("seq2seq:layers=1", seeds=1, budget=read_budget("2steps"), sweep=read_budget("2steps"))
    comparing(request, tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert len(report["sweep"]["trials"]) == 6
    (best,) = (one for one in report["sweep"]["trials"] if one["chosen"])
    assert best["perplexity"] == min(one["perplexity"] for one in report["sweep"]["trials"])
    (folder,) = (tmp_path / "out" / "runs").iterdir()
    assert f"initial-scale-{best['scale']:g}-" in folder.name
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<b>{best['perplexity']:.2f}</b>" in page
    assert "that a sweep, the same for all, found for each" in page
    rates = sorted(one["rate"] for one in report["sweep"]["trials"])
    assert ("At the edge of the rates" in page) == (best["rate"] in (rates[0], rates[-1]))
    with pytest.raises(ConfigError, match="`sweep` was '2steps' and is now None"):
        comparing(replace(request, sweep=None), tmp_path / "out")


@pytest.mark.slow
def test_a_sweep_that_was_stopped_goes_on(asked, comparing, tmp_path):
    request = asked("seq2seq:layers=1", seeds=1, budget=read_budget("2steps"), sweep=read_budget("2steps"))

    class Stop:
        """A person who presses Ctrl-C in the third run."""

        runs = 0

        def __call__(self, event):
            self.runs += event["event"] == "start"
            if self.runs == 3 and event["event"] == "train":
                signal.raise_signal(signal.SIGINT)

    stopped, _ = comparing(request, tmp_path / "out", listeners=(Stop(),))
    assert stopped.interrupted
    ended, said = comparing(request, tmp_path / "out")
    assert not ended.interrupted
    assert "2 of 6 runs are finished already." in said
    assert (tmp_path / "out" / "report.html").is_file()
