import json
import resource

import pytest
import torch

from saccade.errors import FormatError, RunError
from saccade.json_files import sealed
from saccade.training.checkpoint import Checkpoints, CheckpointState, average_checkpoints, read_checkpoint_state
from saccade.training.config import TrainingConfig
from saccade.training.optimizer import adam, optimizer_state
from saccade.training.progress import Best, TrainingProgress
from saccade.weights import restore_weights, weights_of


@pytest.fixture
def trained(toy):
    """A model and its optimizer after one update."""
    model = toy.model()
    optimizer = adam(model, TrainingConfig())
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    return model, optimizer


def save(checkpoints, trained, step, scheduled=True, best=None):
    progress = TrainingProgress(step=step, best=Best(best, 1.5) if best else None)
    checkpoints.save(*trained, CheckpointState(progress, journal=11 * step, scheduled=scheduled))


def names(checkpoints):
    return sorted(path.name for path in checkpoints.folder.iterdir())


def test_what_is_saved_comes_back(toy, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 5, best=5)
    model = toy.model(seed=99)
    optimizer = adam(model, TrainingConfig())
    saved = checkpoints.restore(model, optimizer)
    assert saved == CheckpointState(TrainingProgress(step=5, best=Best(5, 1.5)), journal=55, scheduled=True)
    for restored, original in (
        (weights_of(model), weights_of(trained[0])),
        (optimizer_state(optimizer, model), optimizer_state(trained[1], trained[0])),
    ):
        assert restored.keys() == original.keys()
        assert all(torch.equal(restored[name], original[name]) for name in original)


def test_an_empty_folder_has_nothing_to_restore(trained, tmp_path):
    assert Checkpoints(tmp_path / "checkpoints", keep=3).restore(*trained) is None


def test_tied_weights_are_stored_once(toy):
    model = toy.model()
    stored = sum(tensor.numel() for tensor in weights_of(model).values())
    assert stored >= sum(parameter.numel() for parameter in model.parameters())
    assert len({tensor.data_ptr() for tensor in weights_of(model).values()}) == len(weights_of(model))


def test_every_mismatch_is_named(toy):
    model = toy.model()
    weights = dict(weights_of(model))
    first, second, *_ = sorted(weights)
    del weights[first]
    weights[second] = torch.zeros(3, 1)
    weights["stranger"] = torch.zeros(2)
    with pytest.raises(FormatError) as caught:
        restore_weights(model, weights)
    assert f"{first} is missing" in str(caught.value)
    assert f"{second} must have the shape" in str(caught.value)
    assert "stranger is not part of the model" in str(caught.value)


def test_the_last_planned_and_the_best_are_kept(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=2)
    save(checkpoints, trained, 10, best=10)
    save(checkpoints, trained, 15, scheduled=False, best=10)
    for step in (20, 30, 40):
        save(checkpoints, trained, step, best=10)
    assert checkpoints.steps() == [10, 30, 40]
    assert [path.name for path in checkpoints.recent(2)] == ["step-000030", "step-000040"]


def test_steps_beyond_six_digits_are_in_order(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 999_999)
    save(checkpoints, trained, 1_000_000)
    assert checkpoints.steps() == [999_999, 1_000_000]


@pytest.mark.parametrize("name", ["weights.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["truncated", "altered", "removed"])
def test_a_damaged_checkpoint_is_refused_and_the_way_out_is_named(trained, tmp_path, name, damage):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 3)
    save(checkpoints, trained, 7)
    path = checkpoints.at(7) / name
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(content[:-30] if damage == "truncated" else content)
    with pytest.raises(FormatError) as caught:
        checkpoints.restore(*trained)
    assert path.name in str(caught.value)
    assert f"Remove {checkpoints.at(7)}, and the same command continues from step 3." in str(caught.value)


def test_a_newer_format_is_named(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 3)
    path = checkpoints.at(3) / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    with pytest.raises(FormatError, match="must have a format up to 1, but has 2: .* Upgrade saccade."):
        read_checkpoint_state(checkpoints.at(3))


def test_a_full_disk_leaves_the_last_good_checkpoint(trained, tmp_path):
    """A limit on the size of files stands in for the disk: the kernel refuses the write half way in both cases."""
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 3)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(RunError, match="the disk is full. The last good checkpoint is step 3. Make room"):
            save(checkpoints, trained, 7)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(checkpoints) == ["step-000003"]
    assert checkpoints.restore(*trained).progress.step == 3


def test_leftovers_of_a_kill_are_removed(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 3)
    (checkpoints.folder / ".step-000007.partial").mkdir()
    (checkpoints.folder / ".step-000007.partial" / "weights.safetensors").touch()
    (checkpoints.folder / ".mine.partial").mkdir()
    (checkpoints.folder / ".mine.partial" / "notes.txt").touch()
    assert checkpoints.steps() == [3]
    checkpoints.remove_partial()
    assert names(checkpoints) == [".mine.partial", "step-000003"]


def test_what_a_user_keeps_among_checkpoints_is_never_pruned(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=1)
    (checkpoints.folder / "step-000001").mkdir(parents=True)
    (checkpoints.folder / "step-000001" / "mine.txt").touch()
    save(checkpoints, trained, 3)
    (checkpoints.at(3) / "notes.txt").touch()
    for step in (5, 7):
        save(checkpoints, trained, step)
    assert names(checkpoints) == ["step-000001", "step-000003", "step-000007"]
    assert [path.name for path in checkpoints.at(3).iterdir()] == ["notes.txt"]
    assert [path.name for path in checkpoints.at(1).iterdir()] == ["mine.txt"]


def test_what_only_looks_like_a_checkpoint_is_none(trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=1)
    save(checkpoints, trained, 3)
    for name in ("step-9x", "step-000009x", "step-9", "step-", "step-000009 (copy)", "step-٠٠٠٠٠٩"):
        (checkpoints.folder / name).mkdir()
    (checkpoints.folder / "step-000011").touch()
    before = names(checkpoints)
    assert checkpoints.steps() == [3]
    assert checkpoints.restore(*trained).progress.step == 3
    save(checkpoints, trained, 7)
    assert sorted({*before, "step-000007"} - {"step-000003"}) == names(checkpoints)


@pytest.mark.parametrize(
    ("key", "value"),
    [("standing", []), ("standing", {"step": "x"}), ("journal", -1), ("scheduled", 1), ("files", []), ("more", 1)],
)
def test_a_state_of_another_shape_is_refused_though_it_is_sealed(trained, tmp_path, key, value):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    save(checkpoints, trained, 3)
    path = checkpoints.at(3) / "state.json"
    path.write_text(json.dumps(sealed(json.loads(path.read_text()) | {key: value})))
    with pytest.raises(FormatError, match=rf"state\.json` is damaged or altered: `{key}.*Remove .*starts from the"):
        checkpoints.restore(*trained)


def test_a_kill_while_a_checkpoint_is_removed_leaves_none_that_looks_whole(trained, tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=1)
    save(checkpoints, trained, 5)

    def killed(folder, **_):
        if (folder / "state.json").exists():
            (folder / "state.json").unlink()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            save(checkpoints, trained, 10)
    assert checkpoints.steps() == [10]
    assert [path.name for path in checkpoints.recent(3)] == ["step-000010"]
    checkpoints.remove_partial()
    assert names(checkpoints) == ["step-000010"]


def test_averaging_takes_the_mean_of_every_tensor(toy, trained, tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep=3)
    model, optimizer = trained
    originals = []
    for step in (1, 2, 3):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(step)
        originals.append({name: tensor.clone() for name, tensor in weights_of(model).items()})
        save(checkpoints, (model, optimizer), step)
    mean = average_checkpoints(checkpoints.recent(3))
    assert mean.keys() == originals[0].keys()
    for name, tensor in mean.items():
        expected = sum(original[name].double() for original in originals) / 3
        assert tensor.dtype == originals[0][name].dtype
        assert torch.equal(tensor, expected.to(tensor.dtype))
