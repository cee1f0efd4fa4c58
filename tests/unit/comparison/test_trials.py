import json
import math
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest
import torch

from saccade.comparison.budget import read_budget
from saccade.comparison.execute import INTERRUPTED, ExecutionSettings
from saccade.comparison.plan import base_recipe, make_plan
from saccade.comparison.sweep import Trial, first_round, short_request
from saccade.comparison.trials import run_trials
from saccade.data.prepare import prepare
from saccade.errors import RunError
from saccade.runs import validation
from saccade.training.lock import run_lock

pytestmark = pytest.mark.slow  # every test trains


@pytest.fixture(scope="module")
def prepared(asked, tmp_path_factory):
    base = base_recipe("tiny", asked().overrides)
    return prepare(base.data, tmp_path_factory.mktemp("trials") / "data")


@pytest.fixture
def sweep(asked, prepared, tmp_path):
    """The folder of a sweep, its first trials, and how to run them."""
    request = asked("seq2seq:layers=1", seeds=1, sweep=read_budget("3steps"))
    base = base_recipe(request.recipe, request.overrides)
    return Sweep(request, first_round(request, base, prepared), prepared, tmp_path / "sweep")


class Sweep:
    """A sweep whose trials can be run again and again."""

    def __init__(self, request, trials, prepared, out):
        self.request, self.trials, self.prepared, self.out = request, trials, prepared, out
        self.too_much = Trial(request.systems[0], 1e38, 1.0)
        self.said = []
        shutil.copytree(prepared.folder, out / "data")

    def run(self, *trials, parallel=1, listener=None, **options):
        self.said.clear()
        plan = self.plan(*trials)
        listeners = () if listener is None else (listener,)
        settings = ExecutionSettings("cpu", parallel)
        options = {"report_only": False} | options
        return run_trials(plan, self.out, settings, self.said.append, listeners, **options)

    def plan(self, *trials):
        return make_plan(
            short_request(self.request, trials), self.prepared, self.out, lambda recipes: [1.0] * len(recipes)
        )

    def folder(self, trial):
        return self.out / "runs" / trial.spec.slug

    def found(self, trial):
        return self.out / "found" / f"{trial.spec.slug}.json"


def heard(name, step, then):
    """A listener that does something when this event of this step has come."""

    def listener(event):
        if (event["event"], event.get("step")) == (name, step):
            then()

    return listener


def press_ctrl_c():
    signal.raise_signal(signal.SIGINT)


def test_side_by_side_trials_find_what_they_find_one_by_one(sweep):
    first, slower, _, smaller, larger = sweep.trials
    trials = [first, larger, slower, sweep.too_much, smaller]
    one_by_one = sweep.run(*trials).perplexities
    assert any("failed" in line and "must be finite" in line for line in sweep.said)
    shutil.rmtree(sweep.out / "found")
    assert sweep.run(*trials, parallel=4).perplexities == one_by_one
    assert any("failed" in line and "must be finite" in line for line in sweep.said)
    assert set(one_by_one) == {trial.spec for trial in trials} - {sweep.too_much.spec}


def test_what_failed_is_not_trained_again_until_somebody_asks_for_it(sweep):
    first = sweep.run(sweep.trials[0], sweep.too_much)

    def never(event):
        raise AssertionError(event)

    assert sweep.run(sweep.trials[0], sweep.too_much, listener=never).perplexities == first.perplexities
    assert any("must be finite" in line for line in sweep.said)
    assert sweep.folder(sweep.too_much).is_dir()
    sweep.found(sweep.too_much).unlink()
    began = []
    sweep.run(sweep.trials[0], sweep.too_much, listener=heard("start", 0, lambda: began.append(1)))
    assert began == [1]


def test_an_interrupted_trial_goes_on_where_it_was(sweep):
    trial, *_ = sweep.trials
    assert sweep.run(trial, listener=heard("step", 2, press_ctrl_c)).interrupted
    steps = []
    ended = sweep.run(trial, listener=lambda event: event["event"] == "step" and steps.append(event["step"]))
    assert steps == [3]
    assert not sweep.folder(trial).exists()
    sweep.found(trial).unlink()
    assert sweep.run(trial).perplexities == ended.perplexities


def test_ctrl_c_during_the_only_validation_stops_the_sweep(sweep):
    first, second, *_ = sweep.trials
    with pytest.raises(KeyboardInterrupt):
        sweep.run(first, second, listener=heard("step", 3, press_ctrl_c))
    assert not (sweep.folder(second) / "journal.jsonl").exists()
    # What it found is not lost: there is no checkpoint from which it could be found again.
    assert not sweep.folder(first).exists()
    again = sweep.run(first, listener=lambda event: pytest.fail(f"trained again: {event}"))
    sweep.found(first).unlink()
    assert sweep.run(first).perplexities == again.perplexities


def test_a_process_that_is_hit_while_it_builds_says_that_it_was_interrupted(sweep, tmp_path):
    sweep.plan(sweep.trials[0])
    recipe = sweep.out / "recipes" / f"{sweep.trials[0].spec.slug}.toml"
    program = (
        "import signal; from saccade.comparison import trials;"
        "trials.load_recipe = lambda _: signal.raise_signal(signal.SIGINT);"
        f"trials.main({str(recipe)!r}, {str(tmp_path / 'run')!r}, 'cpu')"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == INTERRUPTED


def test_a_trial_that_another_process_trains_is_left_alone(sweep):
    trial, *_ = sweep.trials
    kept = sweep.folder(trial) / "checkpoints"
    kept.mkdir(parents=True)
    busy = pytest.raises(RunError, match="must be free, but process")
    with run_lock(sweep.folder(trial), datetime(2026, 3, 14, tzinfo=UTC)), busy:
        sweep.run(trial)
    with run_lock(sweep.out, datetime(2026, 3, 14, tzinfo=UTC)), busy:
        sweep.run(trial)
    assert kept.is_dir()
    assert not sweep.found(trial).exists()


def test_what_a_kill_left_of_a_trial_that_had_ended_is_removed(sweep):
    trial, other, *_ = sweep.trials
    sweep.run(trial)
    (sweep.folder(trial) / "checkpoints").mkdir(parents=True)
    sweep.folder(trial).with_name(f"{sweep.folder(trial).name}.log").touch()
    sweep.run(trial, other)
    assert list((sweep.out / "runs").iterdir()) == []


def test_a_trial_translates_nothing(sweep, monkeypatch):
    monkeypatch.delattr(validation, "Translator")
    trial, *_ = sweep.trials
    kept = []
    results = sweep.run(trial, listener=lambda event: kept.append(event) if event["event"] == "validation" else None)
    assert [event["perplexity"] for event in kept] == list(results.perplexities.values())


def test_a_trial_with_an_infinite_loss_has_failed(sweep, monkeypatch):
    monkeypatch.setattr(validation, "score_pairs", lambda _, pairs: torch.full(pairs.target.mask.shape, -math.inf))
    assert sweep.run(sweep.trials[0]).perplexities == {}
    assert any("failed" in line and "validation set must be finite" in line for line in sweep.said)


def test_a_perplexity_is_read_as_earlier_versions_wrote_it(sweep):
    trial, *_ = sweep.trials
    sweep.found(trial).parent.mkdir()
    sweep.found(trial).write_text(json.dumps({"format": 1, "perplexity": 7.5}), encoding="utf-8")
    assert sweep.run(trial).perplexities == {trial.spec: 7.5}
