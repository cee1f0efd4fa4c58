import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import FormatError, RunError
from saccade.tracing.tensors import TraceTensors, from_json, to_array, to_json


@given(st.lists(st.integers(0, 5), min_size=1, max_size=3), st.integers(0, 9))
def test_what_is_written_reads_back_bit_for_bit(shape, seed):
    array = to_array(torch.randn(*shape, generator=torch.Generator().manual_seed(seed)))
    written = json.loads(json.dumps(to_json(array, "abc"[: len(shape)])))
    assert written["shape"] == shape
    assert np.array_equal(from_json(written), array)


def test_numbers_are_little_endian_in_the_order_of_the_last_axis():
    import base64

    written = to_json(to_array(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).T), ["a", "b"])
    assert base64.b64decode(written["data"]) == np.array([1, 3, 2, 4], dtype="<f4").tobytes()


def test_a_mask_is_bytes():
    assert to_json(to_array(torch.tensor([True, False])), ["key"])["dtype"] == "u8"


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(RunError, match="finite"):
        to_array(torch.tensor([1.0, wrong]))


@pytest.mark.parametrize("change", [{"shape": [3]}, {"data": "?"}, {"dtype": "f64"}, {"data": None}])
def test_a_damaged_tensor_is_refused(change):
    written = to_json(to_array(torch.ones(2)), ["d"])
    with pytest.raises(FormatError, match="tensor"):
        from_json(written | change)


@pytest.fixture
def tensors() -> TraceTensors:
    tensors = TraceTensors()
    for owner in ("enc.0.self", "enc.1.self"):
        for role in ("weights", "q", "w_q"):
            tensors.put(owner, role, torch.ones(2), "d")
    tensors.put("memory", "states", torch.ones(2), "d")
    return tensors


@pytest.mark.parametrize(
    ("detail", "names"),
    [
        (["weights"], {"enc.0.self.weights", "enc.1.self.weights"}),
        (["memory"], {"enc.0.self.weights", "enc.1.self.weights", "memory.states"}),
        (["block:enc.1.self"], {"enc.0.self.weights", "enc.1.self.weights", "enc.1.self.q", "enc.1.self.w_q"}),
        (["all"], {"enc.0.self.weights", "enc.1.self.weights", "enc.0.self.q", "enc.1.self.q", "memory.states"}),
    ],
)
def test_only_what_was_asked_for_is_written_out(tensors, detail, names):
    assert set(tensors.to_json(detail)) == names


def test_matrices_come_when_they_are_named(tensors):
    assert len(tensors.to_json(["all", "parameters"])) == 7


def test_what_is_not_there_has_no_name():
    assert TraceTensors().put("enc.0.self", "q", None, "d") == {}
