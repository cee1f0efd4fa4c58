import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from saccade.data.batches import Position
from saccade.training.bookkeeping import Validation, checkpoints_of
from saccade.training.journal import read_journal, repeatable
from saccade.training.loop import train
from saccade.training.progress import Best


def weights(model):
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def assert_same_bits(one, other):
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []


def lines(folder):
    return repeatable(read_journal(folder / "journal.jsonl"))


@pytest.fixture(scope="module")
def unbroken(toy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model, result = toy.train_toy(folder)
    torch.set_num_threads(threads)
    return folder, weights(model), result


def test_the_loss_falls_on_a_task_that_can_be_learned(toy, tmp_path):
    config = replace(toy.CONFIG, steps=80, warmup=20, accumulate=1, learning_rate_factor=0.5, batch_tokens=300)
    toy.train_toy(tmp_path, config, dropout=0.0)
    losses = [event["nll"] for event in read_journal(tmp_path / "journal.jsonl") if event["event"] == "train"]
    assert losses[-1] < 0.8 * losses[0]


def test_the_journal_tells_the_run(unbroken):
    events = read_journal(unbroken[0] / "journal.jsonl")
    assert events[0]["event"] == "start"
    assert [event["step"] for event in events if event["event"] == "train"] == [4, 8, 12, 16, 20]
    assert [event["step"] for event in events if event["event"] == "validation"] == [9, 18, 23]
    assert {7, 14, 21, 23} <= {event["step"] for event in events if event["event"] == "checkpoint"}
    assert (events[-1]["event"], events[-1]["step"], events[-1]["reason"]) == ("stop", 23, "steps")


def test_the_journal_tells_the_most_memory_that_was_needed(unbroken):
    events = read_journal(unbroken[0] / "journal.jsonl")
    told = [event["peak_memory"] for event in events if event["event"] in ("train", "stop")]
    assert len(told) == 6
    assert told == sorted(told)
    assert told[0] > 2**20


def test_a_finished_run_is_left_as_it_is(toy, unbroken):
    folder, expected, _ = unbroken
    before = (folder / "journal.jsonl").read_bytes()
    model, result = toy.train_toy(folder)
    assert result.ending == "steps"
    assert (folder / "journal.jsonl").read_bytes() == before
    assert_same_bits(weights(model), expected)


@pytest.mark.parametrize("stop_at", [7, *(pytest.param(step, marks=pytest.mark.slow) for step in (1, 10, 22))])
def test_stopped_and_continued_is_bit_for_bit_the_unbroken_run(toy, unbroken, tmp_path, stop_at):
    folder, expected, _ = unbroken
    _, first = toy.train_toy(tmp_path, stop_at=stop_at)
    assert first.interrupted
    assert first.progress.step == stop_at
    model, second = toy.train_toy(tmp_path)
    assert not second.interrupted
    assert_same_bits(weights(model), expected)
    assert lines(tmp_path) == lines(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_finishes_the_step_and_saves(toy, tmp_path, number):
    handler = signal.getsignal(number)
    _, result = toy.train_toy(tmp_path, listeners=(toy.killer(11, number),))
    assert (result.ending, result.progress.step) == ("interrupted", 11)
    assert (tmp_path / "checkpoints" / "step-000011").is_dir()
    assert read_journal(tmp_path / "journal.jsonl")[-1]["reason"] == "interrupted"
    assert signal.getsignal(number) is handler


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_in_the_last_step_also_stops_what_follows(toy, unbroken, tmp_path, number):
    folder, expected, _ = unbroken
    with pytest.raises(KeyboardInterrupt):
        toy.train_toy(tmp_path, listeners=(toy.killer(toy.CONFIG.steps, number),))
    assert lines(tmp_path) == lines(folder)
    model, result = toy.train_toy(tmp_path)
    assert result.ending == "steps"
    assert_same_bits(weights(model), expected)


@pytest.fixture
def usual_ctrl_c():
    """A program that a script starts in the background ignores Ctrl-C; one that a terminal starts does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_ctrl_c")
def test_a_second_ctrl_c_is_immediate(toy, tmp_path):
    twice = (toy.killer(11, signal.SIGINT), toy.killer(11, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        toy.train_toy(tmp_path, listeners=twice)
    assert not (tmp_path / "checkpoints" / "step-000011").exists()


def test_a_run_in_another_thread_leaves_signals_alone(toy, tmp_path):
    with ThreadPoolExecutor() as threads:
        run = threads.submit(toy.train_toy, tmp_path, replace(toy.CONFIG, steps=2))
    assert run.result()[1].ending == "steps"


@pytest.mark.slow
def test_killed_twice_in_the_middle_of_an_epoch_and_continued_is_bit_for_bit_the_unbroken_run(start, tmp_path):
    """Both in processes of their own: the last digits may depend on what a process has done before."""

    def ends_with(code, **options):
        process = start(options.pop("folder"), options=options)
        _, said = process.communicate(timeout=120)
        assert process.returncode == code, said

    killed, unbroken = tmp_path / "killed", tmp_path / "unbroken"
    for step in (10, 19):
        ends_with(-signal.SIGKILL, folder=killed, kill_at=step)
    (killed / "checkpoints" / ".step-000019.partial").mkdir()
    for folder in (killed, unbroken):
        ends_with(0, folder=folder)
    assert lines(killed) == lines(unbroken)
    for name in ("weights", "optimizer"):
        file = f"checkpoints/step-000023/{name}.safetensors"
        assert_same_bits(load_file(killed / file), load_file(unbroken / file))


@pytest.mark.slow
def test_an_interrupted_run_averages_what_the_unbroken_one_averages(toy, unbroken, tmp_path):
    toy.train_toy(tmp_path, stop_at=22)
    toy.train_toy(tmp_path)
    names = [path.name for path in checkpoints_of(tmp_path, toy.CONFIG).recent(2)]
    assert names == [path.name for path in checkpoints_of(unbroken[0], toy.CONFIG).recent(2)]
    assert names == ["step-000021", "step-000023"]


@pytest.mark.slow
def test_a_run_can_be_prolonged(toy, unbroken, tmp_path):
    toy.train_toy(tmp_path, replace(toy.CONFIG, steps=12))
    model, result = toy.train_toy(tmp_path)
    assert result.progress.step == 23
    assert_same_bits(weights(model), unbroken[1])


def test_accumulated_micro_batches_count_by_their_tokens(toy, tmp_path):
    """Two micro-batches of unequal size make the step of the one batch that holds both."""
    config = replace(toy.CONFIG, steps=1, accumulate=2, label_smoothing=0.0)
    batches = toy.batches(tmp_path, config)
    stream = batches.stream(Position(0, 0))
    pairs = [next(stream), next(stream)]
    model = toy.model(dropout=0.0)
    total = sum(each.target.total for each in pairs)
    for each in pairs:
        logits = model.decode(each.target.reads, model.encode(each.source))
        (toy.smoothed_cross_entropy(logits, each.target.tokens, each.target.mask, 0.0).smoothed / total).backward()
    expected = {name: parameter.grad for name, parameter in model.named_parameters()}

    seen = {}
    trained = toy.model(dropout=0.0)
    for name, parameter in trained.named_parameters():
        parameter.register_post_accumulate_grad_hook(lambda p, name=name: seen.__setitem__(name, p.grad.clone()))
    train(trained, batches, config, toy.run(tmp_path))
    for name, gradient in expected.items():
        torch.testing.assert_close(seen[name], gradient)


def test_patience_ends_a_run_that_gets_no_better(toy, tmp_path):
    config = replace(toy.CONFIG, validate_every=2, patience=3)
    scores = {2: 1.0, 4: 5.0}
    _, result = toy.train_toy(
        tmp_path, config, validate=lambda _, step: Validation(loss=1.0, score=scores.get(step, 5.0))
    )
    assert result.ending == "patience"
    assert result.progress.step == 10
    assert result.progress.best.step == 4
    assert 4 in checkpoints_of(tmp_path, config).steps()
    assert toy.train_toy(tmp_path, config)[1].progress.step == 10


def test_a_score_that_is_no_number_is_never_the_best(toy, tmp_path):
    scores = {9: float("nan"), 18: 2.0, 23: float("nan")}
    _, result = toy.train_toy(tmp_path, validate=lambda _, step: Validation(loss=1.0, score=scores[step]))
    assert result.progress.best == Best(18, 2.0)
    told = [event["score"] for event in read_journal(tmp_path / "journal.jsonl") if event["event"] == "validation"]
    assert told == [None, 2.0, None]


@pytest.mark.slow
def test_minutes_are_counted_over_continuations(toy, tmp_path):
    ticks = iter(range(10**6))
    config = replace(toy.CONFIG, minutes=1.0, steps=10_000)
    _, first = toy.train_toy(tmp_path, config, clock=lambda: 2.0 * next(ticks), stop_at=5)
    _, second = toy.train_toy(tmp_path, config, clock=lambda: 2.0 * next(ticks))
    assert first.interrupted
    assert second.ending == "minutes"
    assert 60 <= second.progress.seconds < 70
    assert second.progress.step < 17


def test_clipping_bounds_the_gradient(toy, tmp_path):
    config = replace(toy.CONFIG, steps=1, clip=0.01, journal_every=1)
    model, _ = toy.train_toy(tmp_path, config)
    norm = torch.nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()])
    assert norm.item() == pytest.approx(0.01, rel=1e-3)
    assert read_journal(tmp_path / "journal.jsonl")[1]["gradient_norm"] > 0.01


def test_listeners_hear_every_step(toy, tmp_path):
    heard = []
    toy.train_toy(tmp_path, replace(toy.CONFIG, steps=5), listeners=(heard.append,))
    assert [event["step"] for event in heard if event["event"] == "step"] == [1, 2, 3, 4, 5]


def test_bfloat16_keeps_the_weights_in_float32(toy, tmp_path):
    model, _ = toy.train_toy(tmp_path, replace(toy.CONFIG, steps=2, precision="bfloat16"))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def up_and_down(model, step):
    """Improves at every other validation."""
    return Validation(loss=9.0 - step if step % 2 else 9.0, score=float(step))


OTHERS = {
    "adadelta, halving": {
        "optimizer": "adadelta",
        "learning_rate": 1.0,
        "schedule": "halving",
        "halve_after": 8,
        "halve_every": 5,
    },
    "nesterov, plateau": {"optimizer": "nesterov", "momentum": 0.9, "learning_rate": 0.05, "schedule": "plateau"},
    "adagrad, constant": {"optimizer": "adagrad", "learning_rate": 0.05, "schedule": "constant"},
    "schedule-free, constant": {"optimizer": "schedule_free", "learning_rate": 0.01, "schedule": "constant"},
    "muon, cosine": {"optimizer": "muon", "momentum": 0.9, "learning_rate": 0.01, "schedule": "cosine"},
    "sgd, plateau": {"optimizer": "sgd", "learning_rate": 0.3, "schedule": "plateau", "plateau_divisor": 3.0},
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name[:3] in ("ada", "sgd"))) for name in OTHERS]
)
def test_every_optimizer_and_schedule_goes_on_bit_for_bit(toy, tmp_path, name):
    config = replace(toy.CONFIG, warmup=2, accumulate=1, journal_every=1, validate_every=3, clip=1.0, **OTHERS[name])
    model, _ = toy.train_toy(tmp_path / "whole", config, validate=up_and_down)
    expected = weights(model)
    for stop_at in (10, 17, None):
        model, result = toy.train_toy(tmp_path / "broken", config, validate=up_and_down, stop_at=stop_at)
    assert result.ending == "steps"
    assert_same_bits(weights(model), expected)
    assert lines(tmp_path / "broken") == lines(tmp_path / "whole")


def test_a_plateau_divides_the_rate_from_the_next_step_on(toy, tmp_path):
    config = replace(toy.CONFIG, warmup=1, accumulate=1, journal_every=1, validate_every=3, **OTHERS["sgd, plateau"])
    toy.train_toy(tmp_path, config, validate=up_and_down)
    rates = [event["learning_rate"] for event in lines(tmp_path) if event["event"] == "train"]
    # Losses at steps 3, 6, 9, ... are 6, 9, 0, 9, -6, 9, -12 and, at the end, -14: plateaus at 6, 12 and 18.
    assert rates == pytest.approx([0.3] * 6 + [0.1] * 6 + [0.1 / 3] * 6 + [0.1 / 9] * 5)
