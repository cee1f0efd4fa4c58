import hashlib

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save

from saccade.tensor_files import full_tensor, full_tensors, sharded_like, write_tensors

KINDS = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.int8, torch.bool]


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=5),
        st.tuples(st.sampled_from(KINDS), st.lists(st.integers(0, 5), max_size=3)),
        max_size=7,
    ),
    st.sampled_from([None, {"format": "pt"}]),
)
def test_the_bytes_are_those_the_library_writes(tmp_path_factory, shapes, metadata):
    tensors = {name: torch.ones(shape).cumsum(-1).to(kind) for name, (kind, shape) in shapes.items() if shape}
    tensors |= {name: torch.tensor(3).to(kind) for name, (kind, shape) in shapes.items() if not shape}
    path = tmp_path_factory.mktemp("tensors") / "some.safetensors"
    digest = write_tensors(path, tensors, metadata)
    assert path.read_bytes() == save(tensors, metadata)
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_view_of_another_tensor_is_written_as_it_reads(tmp_path):
    view = torch.arange(35.0).view(5, 7).t()[2:5]
    write_tensors(tmp_path / "view", {"view": view})
    assert torch.equal(load_file(tmp_path / "view")["view"], view)


def test_every_process_gathers_tensors_in_the_order_of_the_file(tmp_path):
    tensors = {"b": torch.ones(2), "a": torch.ones(3), "c": torch.ones(5, dtype=torch.int64)}
    assert [name for name, _ in full_tensors(tensors)] == ["c", "a", "b"]


def test_a_tensor_of_one_process_is_full_already():
    tensor = torch.ones(3)
    assert full_tensor(tensor) is tensor
    assert sharded_like(torch.zeros(3), tensor) is tensor


def test_a_data_type_of_no_weight_is_refused(tmp_path):
    with pytest.raises(ValueError, match="complex64"):
        write_tensors(tmp_path / "odd", {"odd": torch.ones(2, dtype=torch.complex64)})
