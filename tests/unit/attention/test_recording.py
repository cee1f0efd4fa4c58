import threading

import torch

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.attention.recording import recording, tracing, watcher


def attention() -> MultiHeadAttention:
    return MultiHeadAttention(width=12, heads=3, key_width=4, value_width=5)


def attend(module: MultiHeadAttention, length: int) -> torch.Tensor:
    states = torch.ones(2, length, 12)
    return module(states, module.keys_values(states), Visibility())


def test_weights_come_by_name_and_in_order():
    model = torch.nn.ModuleDict({"first": attention(), "second": attention()})
    with recording(model) as record:
        attend(model["first"], 7)
        attend(model["second"], 5)
        attend(model["first"], 3)
    assert [tuple(weights.shape) for weights in record["first"]] == [(2, 3, 7, 7), (2, 3, 3, 3)]
    assert [tuple(weights.shape) for weights in record["second"]] == [(2, 3, 5, 5)]


def test_nothing_is_recorded_after_the_block_or_of_another_model():
    watched, other = torch.nn.ModuleList([attention()]), attention()
    with recording(watched) as record:
        attend(other, 3)
    attend(watched[0], 3)
    assert record == {}


def test_another_thread_is_not_watched():
    model = torch.nn.ModuleList([attention()])
    with recording(model) as record:
        thread = threading.Thread(target=attend, args=(model[0], 3))
        thread.start()
        thread.join()
    assert record == {}


class Talker(torch.nn.Module):
    """Tells a number, and what would take time to find."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        if watch := watcher(self):
            watch(weights=value, nothing=None, rest=self.more)
        return value

    def more(self) -> dict[str, object]:
        self.asked += 1
        return {"name": "more"}


def test_tracing_keeps_everything_in_order_and_leaves_out_what_is_not_there():
    model = torch.nn.Sequential(Talker(), Talker())
    with tracing(model) as told:
        model(torch.ones(2))
    assert [one.name for one in told] == ["0", "1"]
    assert [set(one.what) for one in told] == [{"weights", "name"}] * 2


def test_what_takes_time_is_not_asked_for_while_only_weights_are_recorded():
    model = torch.nn.Sequential(Talker())
    with recording(model) as record:
        model(torch.ones(2))
    assert len(record["0"]) == 1
    assert model[0].asked == 0


def test_what_was_told_does_not_change_afterwards():
    model = torch.nn.Sequential(Talker())
    value = torch.ones(2)
    with tracing(model) as told:
        model(value)
    value.zero_()
    assert told[0].what["weights"].tolist() == [1.0, 1.0]


def test_nobody_is_told_when_nobody_looks():
    talker = Talker()
    talker(torch.ones(2))
    assert watcher(talker) is None
    assert talker.asked == 0
