from dataclasses import replace

import pytest
import torch
from torch import nn

from saccade.data.packed import PackedBatches
from saccade.errors import RunError
from saccade.tensor_files import read_tensors
from saccade.training.journal import read_journal
from saccade.training.loop import train
from saccade.training.nonfinite import replay
from saccade.weights import weights_of


class Poison(nn.Module):
    """Divides by zero, after so many sound calls."""

    def __init__(self, inner, calls):
        super().__init__()
        self.inner = inner
        self.calls_left = calls

    def forward(self, *arguments, **named):
        self.calls_left -= 1
        result = self.inner(*arguments, **named)
        if self.calls_left >= 0:
            return result
        return (result / torch.zeros(())).clamp(max=7.0)


class BadGradient(nn.Module):
    """Finite forward, infinite backward: the root of a zero."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *arguments, **named):
        result = self.inner(*arguments, **named)
        return result + (result - result.detach()).abs().sqrt()


def feed_forward_of(model):
    """The name of one feed-forward module in the encoder."""
    return next(name for name, module in model.named_modules() if type(module).__name__ == "FeedForward")


def poisoned(toy, poison):
    model = toy.model()
    name = feed_forward_of(model)
    parent, _, child = name.rpartition(".")
    setattr(model.get_submodule(parent), child, poison(model.get_submodule(name)))
    return model, name


def fail(toy, model, folder):
    with pytest.raises(RunError) as caught:
        train(model, toy.batches(folder, toy.CONFIG), toy.CONFIG, toy.run(folder, about={"kind": "toy"}))
    return str(caught.value)


def test_a_division_by_zero_is_named_with_its_module(toy, tmp_path):
    model, name = poisoned(toy, lambda inner: Poison(inner, 3 * 8 + 1))
    message = fail(toy, model, tmp_path)
    assert "the loss of step 9 must be finite, but is not. The last good checkpoint is step 7." in message
    assert str(tmp_path / "replay-000009") in message

    def build(about, _):
        assert about == {"kind": "toy"}
        return poisoned(toy, lambda inner: Poison(inner, 0))[0]

    report = replay(tmp_path / "replay-000009", build)
    assert report.origin.operation == "aten.div"
    assert report.origin.module == name
    assert report.origin.phase == "forward"
    assert "`aten.div` in module" in str(report)


def test_the_weights_of_the_bundle_are_those_before_the_update(toy, tmp_path):
    model, _ = poisoned(toy, lambda inner: Poison(inner, 3 * 8 + 1))
    fail(toy, model, tmp_path)
    assert all(tensor.isfinite().all() for tensor in weights_of(model).values())
    told = read_journal(tmp_path / "journal.jsonl")[-1]
    assert (told["event"], told["step"], told["reason"], told["replay"]) == ("stop", 8, "not finite", "replay-000009")


def test_schedule_free_is_replayed_where_its_gradient_was_taken(toy, tmp_path):
    config = replace(toy.CONFIG, optimizer="schedule_free")
    calls = []

    class Watched(Poison):
        """Keeps the weights that the failing pass was computed with."""

        def forward(self, *arguments, **named):
            calls.append({name: tensor.detach().clone() for name, tensor in weights_of(model).items()})
            return super().forward(*arguments, **named)

    model, _ = poisoned(toy, lambda inner: Watched(inner, 3 * 8 + 1))
    with pytest.raises(RunError):
        train(model, toy.batches(tmp_path, config), config, toy.run(tmp_path, about={"kind": "toy"}))
    saved = read_tensors(tmp_path / "replay-000009", "weights")
    assert any(not torch.equal(saved[name], tensor) for name, tensor in weights_of(model).items())  # the mean
    assert all(torch.equal(saved[name], tensor) for name, tensor in calls[-1].items())


def test_an_infinite_gradient_under_a_finite_loss_is_found(toy, tmp_path):
    model, _ = poisoned(toy, BadGradient)
    assert "step 1" in fail(toy, model, tmp_path)
    report = replay(tmp_path / "replay-000001", lambda *_: poisoned(toy, BadGradient)[0])
    assert report.origin.phase == "backward"


def test_spoilt_weights_are_named(toy, tmp_path):
    model = toy.model()
    name = sorted(weights_of(model))[2]
    with torch.no_grad():
        weights_of(model)[name].view(-1)[0] = float("inf")
    assert "There is no checkpoint yet." in fail(toy, model, tmp_path)
    report = replay(tmp_path / "replay-000001", lambda *_: toy.model())
    assert report.weights == (name,)
    assert name in str(report)


def test_a_sound_step_has_no_origin(toy, tmp_path):
    model, _ = poisoned(toy, lambda inner: Poison(inner, 0))
    fail(toy, model, tmp_path)
    report = replay(tmp_path / "replay-000001", lambda *_: poisoned(toy, lambda inner: Poison(inner, 10**6))[0])
    assert report.origin is None
    assert "every value is finite here" in str(report)


def test_a_packed_batch_is_kept_and_taken_again(toy, tmp_path):
    model, name = poisoned(toy, lambda inner: Poison(inner, 5))
    padded = toy.batches(tmp_path, toy.CONFIG)
    packed = PackedBatches(padded.stores, padded.tokens, padded.seed)
    with pytest.raises(RunError):
        train(model, packed, toy.CONFIG, toy.run(tmp_path, about={"kind": "toy"}))
    (folder,) = tmp_path.glob("replay-*")
    report = replay(folder, lambda *_: poisoned(toy, lambda inner: Poison(inner, 0))[0])
    assert report.origin is not None
    assert report.origin.module == name
