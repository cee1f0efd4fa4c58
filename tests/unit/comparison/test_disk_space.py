import shutil
from collections import namedtuple
from dataclasses import replace

import pytest

from saccade.comparison.disk_space import kept_by, require_room
from saccade.comparison.execute import PlannedRun
from saccade.comparison.plan import make_plan
from saccade.data.prepared_corpus import open_prepared
from saccade.errors import RunError

Usage = namedtuple("Usage", "total used free")


def changed(entry, **training):
    return replace(entry, recipe=replace(entry.recipe, training=replace(entry.recipe.training, **training)))


def test_a_run_keeps_weights_and_moments_as_often_as_it_may_and_its_model(planned_for_time):
    entry = planned_for_time.entries[0]
    steps = {"steps": 10, "checkpoint_every": 2, "average": 1}
    many = changed(entry, **steps, keep_checkpoints=3)
    assert kept_by(many) == 4 * entry.parameters * (3 * 3 + 1)
    assert kept_by(changed(many, checkpoint_every=9)) == 4 * entry.parameters * (2 * 3 + 1)
    assert kept_by(changed(many, average=4)) == 4 * entry.parameters * (4 * 3 + 1)
    assert kept_by(changed(many, optimizer="sgd")) == 4 * entry.parameters * (3 * 1 + 1)


def test_what_runs_hold_already_counts_and_too_little_room_is_said_before_they_begin(
    planned_for_time, monkeypatch, tmp_path
):
    entries = [changed(entry, steps=4, checkpoint_every=2) for entry in planned_for_time.entries]
    waiting = [PlannedRun(entry, 1, tmp_path / str(place)) for place, entry in enumerate(entries)]
    begun = waiting[0].folder / "checkpoints" / "step-000002"
    begun.mkdir(parents=True)
    (begun / "weights.safetensors").write_bytes(b"0" * 1000)
    needed = sum(map(kept_by, entries)) - 1000
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, needed))
    require_room(waiting, tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, needed - 1))
    with pytest.raises(RunError, match="must have room for what 2 runs will keep, at least .* GB, but has .* GB left"):
        require_room(waiting, tmp_path)


def test_a_comparison_without_room_leaves_nothing(asked, comparing, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 1000))
    with pytest.raises(RunError, match="must have room for what 4 runs will keep"):
        comparing(asked(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_finished_run_keeps_what_was_foreseen_or_a_little_more(comparison, asked):
    plan = make_plan(asked(), open_prepared(comparison / "data"), comparison, lambda _: [])
    for entry in plan.entries:
        folder = comparison / "runs" / f"{entry.spec.slug}-seed-1"
        kept = sum(path.stat().st_size for path in folder.rglob("*.safetensors"))
        assert kept_by(entry) <= kept < kept_by(entry) * 1.5
