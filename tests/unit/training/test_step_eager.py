from dataclasses import dataclass, replace

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from saccade.data.batches import Position
from saccade.errors import RunError
from saccade.tensor_files import read_tensors
from saccade.training import loop
from saccade.training.journal import read_journal, repeatable
from saccade.training.objective import Objective
from saccade.training.optimizer import adam
from saccade.training.parallelize import parallelize
from saccade.training.step import FinishedStep, StepLoss, Stepper, StepResult
from saccade.training.step_eager import EagerStepper


def weights(model):
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def assert_same_bits(one, other):
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []


def eager(toy, model, config=None):
    config = config or toy.CONFIG
    placement = parallelize(Objective(model.train(), config.label_smoothing, autocast=False), config, toy.alone())
    return EagerStepper(placement, adam(placement.model, config), config, toy.alone())


@pytest.fixture
def pairs(toy, tmp_path):
    return next(toy.batches(tmp_path, toy.CONFIG).stream(Position()))


class Spoilt(nn.Module):
    """Gives NaN in some of its calls, counted from zero."""

    def __init__(self, inner, bad):
        super().__init__()
        self.inner, self.bad, self.calls = inner, bad, 0

    def forward(self, *arguments, **named):
        result = self.inner(*arguments, **named)
        self.calls += 1
        return result * torch.nan if self.calls - 1 in self.bad else result


def spoilt(toy, bad):
    model = toy.model()
    model.encoder.layers[0].feedforward = Spoilt(model.encoder.layers[0].feedforward, bad)
    return model


def unwrapped(model):
    """The weights under their usual names."""
    model.encoder.layers[0].feedforward = model.encoder.layers[0].feedforward.inner
    return weights(model)


def test_an_eager_step_is_done_when_it_is_taken(toy, pairs):
    model = toy.model()
    before = weights(model)
    outcome = eager(toy, model).take([pairs], pairs.target.total, 1, 0.01)
    assert outcome.loss().finite
    assert any(not torch.equal(before[name], after) for name, after in weights(model).items())


def test_a_step_of_no_size_changes_nothing(toy, pairs):
    model = toy.model()
    before = weights(model)
    eager(toy, model).take([pairs], pairs.target.total, 1, 0.0)
    assert_same_bits(weights(model), before)


def test_a_loss_that_is_not_finite_changes_no_weight_and_no_moment(toy, pairs):
    stepper = eager(toy, spoilt(toy, {1}))
    model = stepper.placement.model
    stepper.take([pairs], pairs.target.total, 1, 0.01)
    before, moments = weights(model), [value.clone() for s in stepper.optimizer.state.values() for value in s.values()]
    assert not stepper.take([pairs], pairs.target.total, 2, 0.01).loss().finite
    assert_same_bits(weights(model), before)
    after = [value for s in stepper.optimizer.state.values() for value in s.values()]
    assert all(torch.equal(one, other) for one, other in zip(moments, after, strict=True))


@pytest.mark.parametrize(
    ("smoothed", "norm", "finite"), [(3.0, 5.0, True), (torch.nan, 5.0, False), (3.0, torch.inf, False)]
)
def test_a_step_is_finite_when_its_loss_and_its_gradient_are(smoothed, norm, finite):
    assert StepLoss(smoothed, 2.0, 1.0, norm).finite is finite


@dataclass(frozen=True)
class Answer:
    """What comes of a step, and a note of when somebody wanted to know."""

    value: StepLoss
    step: int
    stepper: "Late"

    def loss(self):
        self.stepper.asked.append((self.step, self.stepper.taken))
        return self.value


class Late:
    """Takes eager steps as a CUDA graph does: one runs ahead, and no step after a loss that is not finite counts."""

    ahead = 1

    def __init__(self, *given):
        self.eager = EagerStepper(*given)
        self.not_finite = None
        self.taken = 0
        self.asked = []

    def take(self, micro_batches, tokens, step, rate):
        self.taken = step
        loss = self.not_finite or self.eager.take(micro_batches, tokens, step, rate).loss()
        self.not_finite = None if loss.finite else loss
        return Answer(loss, step, self)


@pytest.fixture
def late(monkeypatch):
    """Every run from here on is taken by such a stepper; the list holds them."""
    steppers = []

    def choose(placement, optimizer, _batches, config, world):
        steppers.append(Late(placement, optimizer, config, world))
        return steppers[-1]

    monkeypatch.setattr(loop, "_stepper", choose)
    return steppers


@pytest.fixture(scope="module")
def in_time(toy, tmp_path_factory):
    """The run of a stepper that does not run ahead."""
    folder = tmp_path_factory.mktemp("in_time")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model, _ = toy.train_toy(folder)
    torch.set_num_threads(threads)
    return folder, weights(model)


def test_the_steppers_here_are_steppers(toy):
    stepper = eager(toy, toy.model())
    assert isinstance(stepper, Stepper)
    assert isinstance(Late(stepper.placement, stepper.optimizer, stepper.config, stepper.world), Stepper)
    assert isinstance(FinishedStep(StepLoss(1.0, 1.0, 1.0, 1.0)), StepResult)


def test_a_run_that_hears_of_losses_late_is_bit_for_bit_the_one_that_waits(toy, in_time, late, tmp_path):
    folder, expected = in_time
    model, _ = toy.train_toy(tmp_path)
    assert len(late) == 1
    assert_same_bits(weights(model), expected)
    journals = [repeatable(read_journal(place / "journal.jsonl")) for place in (tmp_path, folder)]
    assert journals[0] == journals[1]
    for name in ("step-000021", "step-000023"):
        kept = [place / "checkpoints" / name for place in (tmp_path, folder)]
        assert_same_bits(*(load_file(place / "optimizer.safetensors") for place in kept))


def test_a_loss_is_asked_for_one_step_late_unless_something_is_due(toy, late, tmp_path):
    toy.train_toy(tmp_path)
    config = toy.CONFIG
    steps = range(1, config.steps + 1)
    assert late[0].asked == [(step, step if config.pauses(step) else step + 1) for step in steps]


@pytest.mark.parametrize("stop_at", [7, *(pytest.param(step, marks=pytest.mark.slow) for step in (1, 10))])
def test_a_late_run_can_be_stopped_and_continued(toy, in_time, late, tmp_path, stop_at):
    _, first = toy.train_toy(tmp_path, stop_at=stop_at)
    assert (first.ending, first.progress.step) == ("interrupted", stop_at)
    assert late[0].taken == stop_at
    model, _ = toy.train_toy(tmp_path)
    assert_same_bits(weights(model), in_time[1])


@pytest.mark.slow
def test_a_late_run_stopped_by_the_clock_counts_every_step_it_took(toy, late, tmp_path):
    seconds = iter(range(10_000))
    config = replace(toy.CONFIG, minutes=0.5)
    model, result = toy.train_toy(tmp_path, config, clock=lambda: float(next(seconds)))
    assert result.ending == "minutes"
    assert result.progress.step == late[0].taken < config.steps
    saved = load_file(tmp_path / "checkpoints" / f"step-{result.progress.step:06d}" / "weights.safetensors")
    assert_same_bits(weights(model), {name: saved[name] for name in weights(model)})


@pytest.fixture
def failed(toy, late, tmp_path):
    """A run whose eighth step has three micro-batches of which one is bad; the ninth would be good again."""
    model = spoilt(toy, {3 * 7 + 1})
    with pytest.raises(RunError, match="step 8 must be finite.*last good checkpoint is step 7"):
        toy.train_this(model, tmp_path)
    return model, late[0]


def test_a_loss_that_is_not_finite_is_heard_of_after_the_next_step_has_begun(failed):
    assert failed[1].asked[-1] == (8, 9)


def test_it_leaves_the_weights_of_the_step_before(toy, failed, tmp_path):
    expected, _ = toy.train_toy(tmp_path / "short", replace(toy.CONFIG, steps=7))
    assert_same_bits(unwrapped(failed[0]), weights(expected))


@pytest.mark.usefixtures("failed")
def test_what_is_kept_for_a_replay_is_the_bad_step_not_the_one_under_way(toy, tmp_path):
    kept = read_tensors(tmp_path / "replay-000008", "batch")
    batches = toy.batches(tmp_path, toy.CONFIG)
    stream = batches.stream(batches.advance(Position(), 3 * 7))
    for number in range(3):
        assert torch.equal(kept[f"{number}/target/tokens"], next(stream).target.tokens)
