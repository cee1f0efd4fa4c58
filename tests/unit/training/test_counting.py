import signal
from dataclasses import dataclass, replace

import pytest
import torch

from saccade.errors import RunError
from saccade.models.capabilities import CountingModel
from saccade.models.contract import State
from saccade.models.language_model import LanguageModel
from saccade.training.bookkeeping import Validation, checkpoints_of
from saccade.training.checkpoint import average_checkpoints
from saccade.training.counting import count
from saccade.training.distributed import World
from saccade.training.journal import read_journal
from saccade.weights import restore_weights


@dataclass(frozen=True)
class Before(State):
    rows: torch.Tensor


class Lengths(LanguageModel, CountingModel):
    """Knows how often targets of each length were seen: as many numbers as the longest has tokens."""

    tables = ("seen",)

    def __init__(self):
        super().__init__(13, 13, maximum_length=64, width=1)
        self.register_buffer("seen", torch.empty(0, dtype=torch.int64))
        self.batches = []

    def count(self, pairs):
        self.batches.append(pairs.target.lengths)

    def finish_counting(self):
        self.seen = torch.cat(self.batches).bincount()

    def states(self, reads, memory):  # noqa: ARG002
        return torch.zeros(*reads.tokens.shape, 1)

    def logits(self, states):
        return states.expand(*states.shape[:-1], 13)

    def start(self, memory):
        return Before(memory.lengths)

    def step(self, token, state):  # noqa: ARG002
        return torch.zeros(len(state.rows), 13), state


@pytest.fixture
def counted(toy):
    """Counts the toy corpus with what is said of the run changed."""

    def counted(folder, **changes):
        model = Lengths()
        run = toy.run(folder, validate=lambda _model, step: Validation(loss=1.0, score=float(step)), **changes)
        return model, count(model, toy.batches(folder, toy.CONFIG), toy.CONFIG, run)

    return counted


def expected(toy, folder):
    return torch.tensor(toy.store(folder).target_lengths + 1).bincount()


def test_every_pair_is_shown_once_and_what_was_counted_is_kept(toy, counted, tmp_path):
    model, result = counted(tmp_path)
    assert torch.equal(model.seen, expected(toy, tmp_path))
    assert result.ending == "steps"
    assert result.progress.step == len(toy.batches(tmp_path, toy.CONFIG).plan(0))
    [kept] = checkpoints_of(tmp_path, toy.CONFIG).recent(5)
    restored = Lengths()
    restore_weights(restored, average_checkpoints([kept]))
    assert torch.equal(restored.seen, model.seen)


def test_counting_that_is_done_is_not_done_again(toy, counted, tmp_path):
    first, _ = counted(tmp_path)
    journal = (tmp_path / "journal.jsonl").read_bytes()
    second, result = counted(tmp_path)
    assert second.batches == []
    assert torch.equal(second.seen, first.seen)
    assert result.ending == "steps"
    assert (tmp_path / "journal.jsonl").read_bytes() == journal


def test_an_interrupted_count_begins_again_and_counts_the_same(toy, counted, tmp_path):
    def interrupt(event):
        if event["event"] == "preparing" and event["done"] == 3:
            signal.raise_signal(signal.SIGTERM)

    _, result = counted(tmp_path, listeners=(interrupt,))
    assert result.interrupted
    assert read_journal(tmp_path / "journal.jsonl")[-1]["reason"] == "interrupted"
    assert not list(tmp_path.glob("checkpoints/step-*"))
    model, result = counted(tmp_path)
    assert not result.interrupted
    assert torch.equal(model.seen, expected(toy, tmp_path))
    assert [event["event"] for event in read_journal(tmp_path / "journal.jsonl")].count("start") == 1


def test_a_signal_after_the_last_batch_also_stops_what_follows(toy, counted, tmp_path):
    def interrupt(event):
        if event["event"] == "counted":
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        counted(tmp_path, listeners=(interrupt,))
    model, result = counted(tmp_path)
    assert (model.batches, result.ending) == ([], "steps")


def test_several_processes_are_refused(toy, counted, tmp_path):
    with pytest.raises(RunError, match="one process, but there are 2"):
        counted(tmp_path, world=replace(World(torch.device("cpu")), size=2))


def test_a_model_that_does_not_count_says_so(toy, tmp_path):
    with pytest.raises(AssertionError, match="Transformer does not count"):
        count(toy.model(), toy.batches(tmp_path, toy.CONFIG), toy.CONFIG, toy.run(tmp_path))
