from dataclasses import replace

import pytest
import torch

from saccade.data.batches import Position
from saccade.errors import RunError
from saccade.training.config import TrainingConfig
from saccade.training.ddp import Replicated
from saccade.training.journal import read_journal
from saccade.training.objective import Objective
from saccade.training.parallelize import parallelize

EVERY = {"steps": 4, "journal_every": 1, "accumulate": 2}


def splits(folder):
    events = [event for event in read_journal(folder / "journal.jsonl") if event["event"] == "split"]
    return [(event["step"], event["sentences"], event["halvings"]) for event in events]


def test_in_a_single_process_the_given_model_is_the_trained_one(toy):
    objective = Objective(toy.model(), 0.1, False)
    placement = parallelize(objective, TrainingConfig(placement="sharded"), toy.alone())
    assert isinstance(placement, Replicated)
    assert placement.objective is objective
    assert placement.model is objective.model
    with placement.full_model() as model:
        assert model is objective.model


def test_a_single_process_can_always_halve_a_batch(toy, tmp_path):
    placement = parallelize(Objective(toy.model(), 0.1, False), TrainingConfig(), toy.alone())
    assert placement.syncs_after_backward([next(toy.batches(tmp_path, toy.CONFIG).stream(Position()))])


@pytest.mark.parametrize("where", ["forward_rows", "backward_rows"])
def test_a_run_whose_batches_do_not_fit_takes_the_same_steps_in_pieces(toy, losses, tmp_path, where):
    """With dropout the pieces would draw other numbers than the whole."""
    config = replace(toy.CONFIG, **EVERY)
    toy.train_this(toy.narrow(dropout=0.0), tmp_path / "wide", config)
    toy.train_this(toy.narrow(dropout=0.0, **{where: 5}), tmp_path / "narrow", config)
    for narrow, wide in zip(losses(tmp_path / "narrow"), losses(tmp_path / "wide"), strict=True):
        assert narrow[:2] == wide[:2]
        assert narrow[2:] == pytest.approx(wide[2:], abs=1e-6)
    assert splits(tmp_path / "wide") == []
    told = splits(tmp_path / "narrow")
    assert [step for step, _, _ in told] == [1, 2, 3, 4]
    assert all(sentences > 5 and halvings >= 1 for _, sentences, halvings in told)


def test_a_pair_that_does_not_fit_by_itself_ends_the_run(toy, tmp_path):
    with pytest.raises(RunError, match="one pair of .* must fit into memory"):
        toy.train_this(toy.narrow(backward_rows=0), tmp_path, replace(toy.CONFIG, **EVERY))


@pytest.mark.slow
def test_one_of_two_processes_may_halve_its_batches(toy, together, losses, tmp_path):
    together(tmp_path / "narrow", EVERY, {"dropout": 0.0, "backward_rows": {"1": 5}})
    toy.train_toy(tmp_path / "wide", replace(toy.CONFIG, **EVERY | {"accumulate": 4}), dropout=0.0)
    for narrow, wide in zip(losses(tmp_path / "narrow"), losses(tmp_path / "wide"), strict=True):
        assert narrow[:2] == wide[:2]
        assert narrow[2:] == pytest.approx(wide[2:], abs=1e-6)
    assert len(splits(tmp_path / "narrow")) == 4


def test_recomputing_layers_changes_no_bit_of_a_run(toy, tmp_path):
    config = replace(toy.CONFIG, **EVERY)
    kept, _ = toy.train_toy(tmp_path / "kept", config)
    forgotten, _ = toy.train_toy(tmp_path / "forgotten", replace(config, recompute="layers"))
    for one, other in zip(kept.parameters(), forgotten.parameters(), strict=True):
        assert torch.equal(one, other)
