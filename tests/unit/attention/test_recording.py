import threading

import torch

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.attention.recording import recording


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
