"""Two processes with half of the weights each. Every run takes several seconds to start, so they are few."""

import shutil
from dataclasses import replace

import pytest
from safetensors.torch import load_file
from torch import nn

from saccade.training.fsdp import units
from saccade.training.journal import read_journal, repeatable
from saccade.training.objective import Objective
from saccade.weights import weights_of

RUN = {"steps": 7, "journal_every": 1, "validate_every": 3, "checkpoint_every": 4, "clip": 0.5}
SHARDED = RUN | {"placement": "sharded", "accumulate": 2}
STOP = {"kill_at": 4, "signal": "SIGTERM"}


def names(model, modules):
    return {name for name, module in model.named_modules() if module in set(modules)}


def test_a_unit_is_a_layer_or_what_of_it_is_used_from_within_alone(toy):
    model = toy.model()
    found = names(model, units(Objective(model, 0.1, False)))
    assert "encoder.layers.0" in found
    assert "decoder.layers.0.feedforward" in found
    assert "decoder.layers.0" not in found, "its keys of the source are computed before it runs"
    assert not any("embedding" in name for name in found), "they belong to no layer"


def test_no_weight_is_in_two_units(toy):
    parameters = [parameter for unit in units(Objective(toy.model(), 0.1, False)) for parameter in unit.parameters()]
    assert len(parameters) == len(set(parameters))


def test_weights_that_two_layers_share_are_in_no_unit(toy):
    model = toy.model()
    model.encoder.layers.append(type(model.encoder.layers[0])(model.config))
    one, other = (layer.feedforward for layer in model.encoder.layers)
    one.inner.weight = other.inner.weight
    found = units(Objective(model, 0.1, False))
    assert not any(parameter is one.inner.weight for unit in found for parameter in unit.parameters())
    assert names(model, found) >= {"encoder.layers.0.self_attention.output", "encoder.layers.1.self_attention.output"}


def test_looking_for_units_leaves_the_model_as_it_was(toy):
    model = toy.model()
    before = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    units(Objective(model, 0.1, False))
    assert all(tensor.equal(before[name]) for name, tensor in weights_of(model).items())
    assert all(not module._forward_hooks and not module._forward_pre_hooks for module in model.modules())
    assert all(isinstance(parameter, nn.Parameter) for parameter in model.parameters())


@pytest.fixture(scope="module")
def alone(toy, tmp_path_factory):
    """One process that takes the same steps."""
    folder = tmp_path_factory.mktemp("alone")
    toy.train_toy(folder, replace(toy.CONFIG, **RUN, accumulate=4))
    return folder


@pytest.fixture(scope="module")
def unbroken(together, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    return folder, together(folder, SHARDED)


@pytest.fixture(scope="module")
def stopped(together, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stopped")
    assert together(folder, SHARDED, STOP)["ending"] == "interrupted"
    return folder


@pytest.fixture
def copied(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "copied")


def assert_same_losses(ours, theirs):
    assert len(ours) == len(theirs) == RUN["steps"]
    for one, other in zip(ours, theirs, strict=True):
        assert one[:2] == other[:2]
        # The same sums in another order: about the last bit of a float32, seven steps long.
        assert one[2:] == pytest.approx(other[2:], abs=2e-6)


@pytest.mark.slow
def test_halves_of_the_weights_take_the_steps_of_the_whole(unbroken, alone, losses):
    assert_same_losses(losses(unbroken[0]), losses(alone))


@pytest.mark.slow
def test_the_first_process_validates_the_whole_model(unbroken, alone):
    ours, theirs = (
        [event["loss"] for event in read_journal(folder / "journal.jsonl") if event["event"] == "validation"]
        for folder in (unbroken[0], alone)
    )
    assert ours == pytest.approx(theirs, abs=2e-6)


@pytest.mark.slow
def test_the_given_model_ends_with_the_trained_weights(unbroken):
    folder, result = unbroken
    stored = load_file(folder / "checkpoints/step-000007/weights.safetensors")
    assert result["weights"] == pytest.approx(sum(tensor.double().abs().sum().item() for tensor in stored.values()))


@pytest.mark.slow
def test_a_checkpoint_is_the_one_a_single_process_writes(unbroken, alone):
    for name in ("weights", "optimizer"):
        ours, theirs = (load_file(f / f"checkpoints/step-000007/{name}.safetensors") for f in (unbroken[0], alone))
        assert ours.keys() == theirs.keys()
        assert [ours[key].shape for key in ours] == [theirs[key].shape for key in ours]


@pytest.mark.slow
def test_continued_by_as_many_processes_it_is_bit_for_bit_the_unbroken_run(together, unbroken, copied):
    together(copied, SHARDED)
    ours, theirs = (repeatable(read_journal(folder / "journal.jsonl")) for folder in (copied, unbroken[0]))
    assert ours == theirs
    for name in ("weights", "optimizer"):
        files = [f / f"checkpoints/step-000007/{name}.safetensors" for f in (copied, unbroken[0])]
        assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.slow
def test_continued_by_one_process(toy, copied, alone, losses):
    toy.train_toy(copied, replace(toy.CONFIG, **RUN, accumulate=4))
    assert_same_losses(losses(copied), losses(alone))


@pytest.mark.slow
def test_continued_by_four_processes(together, copied, alone, losses):
    together(copied, SHARDED | {"accumulate": 1}, size=4)
    assert_same_losses(losses(copied), losses(alone))


@pytest.mark.slow
def test_continued_by_two_processes_with_a_copy_each(together, copied, alone, losses):
    together(copied, SHARDED | {"placement": "replicated"})
    assert_same_losses(losses(copied), losses(alone))


@pytest.mark.slow
def test_what_one_process_began_two_continue_with_half_of_the_weights_each(toy, together, alone, losses, tmp_path):
    toy.train_toy(tmp_path, replace(toy.CONFIG, **RUN, accumulate=4), stop_at=4)
    together(tmp_path, SHARDED)
    assert_same_losses(losses(tmp_path), losses(alone))


@pytest.mark.slow
def test_recomputing_layers_changes_no_bit_of_a_sharded_run(together, unbroken, tmp_path):
    together(tmp_path, SHARDED | {"recompute": "layers"})
    ours, theirs = (repeatable(read_journal(folder / "journal.jsonl")) for folder in (tmp_path, unbroken[0]))
    assert ours == theirs
