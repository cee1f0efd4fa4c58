"""Steps replayed from a CUDA graph against eager ones: both take the same packed batches, with the same kernels."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from saccade.data.batches import Position
from saccade.data.packed import PackedBatches
from saccade.training.bookkeeping import Validation
from saccade.training.distributed import World
from saccade.training.loop import train
from saccade.training.objective import Objective
from saccade.training.optimizer import adam
from saccade.training.parallelize import parallelize
from saccade.training.step import Stepper
from saccade.training.step_cuda_graph import CudaGraphStepper
from saccade.training.step_eager import EagerStepper
from saccade.training.step_fallback import StepFallback


def weights(model):
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def assert_same_bits(one, other):
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []


class Workshop:
    """Steppers of one toy model on the GPU, and the batches they take."""

    def __init__(self, toy, gpu, folder, precision="float32"):
        self.toy, self.gpu, self.folder = toy, gpu, folder
        self.config = replace(toy.CONFIG, precision=precision, accumulate=2)

    @property
    def batches(self):
        return PackedBatches([self.toy.store(self.folder)], self.config.batch_tokens, self.config.seed)

    def steps(self, number):
        """The micro-batches of each step."""
        stream = self.batches.stream(Position())
        return [list(islice(stream, self.config.accumulate)) for _ in range(number)]

    def eager(self, dropout=0.0):
        placement = self._placement(dropout)
        return EagerStepper(placement, adam(placement.model, self.config), self.config, placement.world)

    def captured(self, dropout=0.0):
        placement = self._placement(dropout)
        optimizer = adam(placement.model, self.config)
        return CudaGraphStepper(placement.objective, optimizer, self.config, self.gpu)

    def _placement(self, dropout):
        model = self.toy.model(dropout).train()
        objective = Objective(model, self.config.label_smoothing, self.config.autocasts(self.gpu, packed=True))
        return parallelize(objective, self.config, World(self.gpu))


@pytest.fixture
def workshop(toy, gpu, tmp_path):
    return Workshop(toy, gpu, tmp_path)


def model_of(stepper):
    return (stepper.objective if isinstance(stepper, CudaGraphStepper) else stepper.placement.objective).model


def take(stepper, step, micro_batches, rate=0.003):
    tokens = sum(pairs.target.total for pairs in micro_batches)
    return stepper.take(micro_batches, tokens, step, rate)


def spoil(stepper, value):
    """Changes a table that every step reads, where it is; gives what was there."""
    table = model_of(stepper).source_positions.table
    before = table[0, 0].item()
    table[0, 0] = value
    return before


# Products of float32 are exact to seven digits and Adam divides by small numbers; bfloat16 keeps two to three.
@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-4), ("bfloat16", 3e-2)])
def test_twenty_replayed_steps_are_twenty_eager_steps(toy, gpu, tmp_path, precision, tolerance):
    workshop = Workshop(toy, gpu, tmp_path, precision)
    eager, captured = workshop.eager(), workshop.captured()
    for step, micro_batches in enumerate(workshop.steps(20), 1):
        expected, found = (take(stepper, step, micro_batches).loss() for stepper in (eager, captured))
        assert found.smoothed == pytest.approx(expected.smoothed, rel=tolerance)
        assert found.plain == pytest.approx(expected.plain, rel=tolerance)
        assert found.gradient_norm == pytest.approx(expected.gradient_norm, rel=10 * tolerance)
    trained = weights(model_of(eager))
    for name, parameter in weights(model_of(captured)).items():
        torch.testing.assert_close(parameter, trained[name], rtol=tolerance, atol=tolerance, msg=name)


def test_clipping_is_captured(toy, gpu, tmp_path):
    workshop = Workshop(toy, gpu, tmp_path)
    workshop.config = replace(workshop.config, clip=0.01)
    captured = workshop.captured()
    assert take(captured, 1, workshop.steps(1)[0]).loss().gradient_norm > 0.01
    gradients = [parameter.grad for parameter in model_of(captured).parameters()]
    assert torch.nn.utils.get_total_norm(gradients).item() == pytest.approx(0.01, rel=1e-3)


def test_capture_changes_no_weight(workshop):
    captured = workshop.captured()
    before = weights(model_of(captured))
    take(captured, 1, workshop.steps(1)[0], rate=0.0).loss()
    assert_same_bits(weights(model_of(captured)), before)
    assert {state["step"].item() for state in captured.optimizer.state.values()} == {1.0}


def test_each_step_draws_dropout_of_its_own_and_always_the_same(workshop):
    captured = workshop.captured(dropout=0.3)
    micro_batches = workshop.steps(1)[0]
    one, two, again = (take(captured, step, micro_batches, rate=0.0).loss().smoothed for step in (1, 2, 1))
    assert one == again
    assert one != two


def test_a_loss_that_is_not_finite_holds_the_weights_from_then_on(workshop):
    captured = workshop.captured()
    good, more, bad, after = workshop.steps(4)
    assert take(captured, 1, good).loss().finite
    assert take(captured, 2, more).loss().finite
    before = weights(model_of(captured))
    usual = spoil(captured, torch.nan)
    assert not take(captured, 3, bad).loss().finite
    assert_same_bits(weights(model_of(captured)), before)
    spoil(captured, usual)
    take(captured, 4, after).loss()
    assert_same_bits(weights(model_of(captured)), before)
    assert {state["step"].item() for state in captured.optimizer.state.values()} == {2.0}


def test_losses_may_be_asked_for_after_the_next_step_was_taken(workshop):
    ahead, waiting = workshop.captured(), workshop.captured()
    steps = workshop.steps(5)
    expected = [take(waiting, step, pairs).loss() for step, pairs in enumerate(steps, 1)]
    outcomes = [take(ahead, step, pairs) for step, pairs in enumerate(steps, 1)]
    assert [outcome.loss() for outcome in outcomes] == expected
    assert isinstance(ahead, Stepper)


def test_a_withdrawn_graph_leaves_the_optimizer_to_eager_steps(workshop):
    eager, captured = workshop.eager(), workshop.captured()
    first, second = workshop.steps(2)
    for stepper in (eager, captured):
        take(stepper, 1, first).loss()
    captured.withdraw()
    rest = workshop.eager()
    rest.placement, rest.optimizer = _same_objective(rest.placement, captured), captured.optimizer
    expected, found = (take(stepper, 2, second).loss() for stepper in (eager, rest))
    assert found.smoothed == pytest.approx(expected.smoothed, rel=1e-4)
    trained = weights(model_of(eager))
    for name, parameter in weights(model_of(captured)).items():
        torch.testing.assert_close(parameter, trained[name], rtol=1e-4, atol=1e-4, msg=name)


@pytest.fixture
def little_memory(gpu):
    """Limits memory to so many bytes more than are allocated now."""

    def little_memory(more):
        torch.cuda.empty_cache()
        total = torch.cuda.get_device_properties(gpu).total_memory
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved(gpu) + more) / total)

    yield little_memory
    torch.cuda.set_per_process_memory_fraction(1.0)


def test_a_batch_too_large_to_be_captured_is_taken_in_pieces_instead(toy, gpu, tmp_path, little_memory):
    workshop = Workshop(toy, gpu, tmp_path)
    workshop.config = replace(workshop.config, accumulate=1, batch_tokens=60_000)
    store = toy.store(tmp_path, pairs=12_007)
    batches = PackedBatches([store], workshop.config.batch_tokens, workshop.config.seed)
    (first,), (second,) = ([pairs] for pairs in islice(batches.stream(Position()), 2))
    expected = workshop.eager()
    whole = take(expected, 1, [first]).loss()
    assert not whole.split.halvings

    placement = workshop._placement(dropout=0.0)
    optimizer = adam(placement.model, workshop.config)
    captured = CudaGraphStepper(placement.objective, optimizer, workshop.config, gpu)
    eager = EagerStepper(placement, optimizer, workshop.config, placement.world)
    stepper = StepFallback(captured, eager, captured.withdraw)
    little_memory(120 * 2**20)
    loss = take(stepper, 1, [first]).loss()
    assert loss.split.halvings
    assert loss.smoothed == pytest.approx(whole.smoothed, rel=1e-4)
    assert stepper.ahead == 0
    trained = weights(model_of(expected))
    for name, parameter in weights(placement.model).items():
        torch.testing.assert_close(parameter, trained[name], rtol=1e-4, atol=1e-4, msg=name)
    assert take(stepper, 2, [second]).loss().finite


def _same_objective(placement, captured):
    placement.objective, placement.model = captured.objective, captured.objective.model
    return placement


def trained(workshop, folder, **changes):
    def validate(_model, step):
        return Validation(loss=1.0, score=float(step))

    model = workshop.toy.model(dropout=0.3)
    run = workshop.toy.run(folder, world=World(workshop.gpu), validate=validate, **changes)
    return model, train(model, workshop.batches, workshop.config, run)


@pytest.mark.parametrize("stop_at", [1, 7, 10])
def test_a_run_of_replayed_steps_continues_where_it_stopped(workshop, tmp_path, stop_at):
    unbroken, result = trained(workshop, tmp_path / "unbroken")
    assert result.ending == "steps"
    _, first = trained(workshop, tmp_path / "broken", stop_at=stop_at)
    assert first.progress.step == stop_at
    model, _ = trained(workshop, tmp_path / "broken")
    expected = weights(unbroken)
    for name, parameter in weights(model).items():
        torch.testing.assert_close(parameter, expected[name], msg=name)
