import json
import math
import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.comparison.budget import read_budget
from saccade.comparison.plan import base_recipe
from saccade.comparison.sweep import Sweep, Trial, check_sweep, first_round, peak_rate, short_request
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
    made = first_round(request, base, prepared)
    by_system = [{(one.rate, one.scale) for one in made if one.system == system} for system in request.systems]
    assert by_system[0] == by_system[1]
    peak = peak_rate(base, prepared)
    assert by_system[0] == {(peak, 1.0), (peak / 2, 1.0), (peak * 2, 1.0), (peak, 0.5), (peak, 2.0)}
    assert len({one.spec.label for one in made}) == len(made) == 10
    assert short_request(request, made).systems[0].sets("training.initial_scale")


def test_initial_weights_that_the_recipe_scales_are_where_a_sweep_begins(asked, prepared):
    request = asked(sweep=read_budget("3steps"), overrides=(*asked().overrides, "training.initial_scale=3"))
    made = first_round(request, base_recipe(request.recipe, request.overrides), prepared)
    assert {one.scale for one in made} == {1.5, 3.0, 6.0}


@given(st.integers(-4, 4), st.integers(-4, 4))
def test_round_by_round_it_comes_to_the_lowest_perplexity(rate, scale):
    """Of a bowl whose lowest point lies anywhere within a sixteenth and sixteen times of where it begins."""

    def perplexity(trial):
        return 5 + abs(math.log2(trial.rate) - rate) + abs(math.log2(trial.scale) - scale)

    first = Trial(SystemSpec("seq2seq"), 1.0, 1.0)
    tried = {one: perplexity(one) for one in (first, *first.neighbours)}
    while new := Sweep(read_budget("5steps"), tried).untried:
        tried |= {one: perplexity(one) for one in new}
    best = Sweep(read_budget("5steps"), tried).best(first.system)
    assert (best.rate, best.scale) == (2.0**rate, 2.0**scale)
    assert all(one in tried for one in best.neighbours)


def test_what_failed_is_not_tried_again():
    first = Trial(SystemSpec("seq2seq"), 1.0, 1.0)
    slower, faster, smaller, larger = first.neighbours
    sweep = Sweep(read_budget("5steps"), {first: 3.0, slower: 4.0, smaller: 4.0}, frozenset({faster, larger}))
    assert sweep.untried == []


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
    assert len(report["sweep"]["trials"]) >= 5
    (best,) = (one for one in report["sweep"]["trials"] if one["chosen"])
    assert best["perplexity"] == min(one["perplexity"] for one in report["sweep"]["trials"])
    (folder,) = (tmp_path / "out" / "runs").iterdir()
    assert f"initial-scale-{best['scale']:g}-" in folder.name
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<b>{best['perplexity']:.2f}</b>" in page
    assert "that a sweep, the same for all, found for each" in page
    ways = {(one["rate"], one["scale"]) for one in report["sweep"]["trials"]}
    beside = {(best["rate"] * a, best["scale"] * b) for a, b in ((0.5, 1), (2, 1), (1, 0.5), (1, 2))}
    assert ("Where a cell is empty" in page) == (not beside <= ways)
    assert list((tmp_path / "out" / "sweep" / "runs").iterdir()) == []  # of a trial only its perplexity is kept
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
            if self.runs == 3 and event["event"] == "step":
                signal.raise_signal(signal.SIGINT)

    stopped, _ = comparing(request, tmp_path / "out", listeners=(Stop(),))
    assert stopped.interrupted
    ended, said = comparing(request, tmp_path / "out")
    assert not ended.interrupted
    assert "2 of 5 trials have ended already." in said
    assert (tmp_path / "out" / "report.html").is_file()
