import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.decoding.graph_memory import SharedMemory

SHAPES = st.lists(st.integers(0, 7), max_size=3)
TYPES = st.sampled_from([torch.bool, torch.int64, torch.float32, torch.bfloat16, torch.float64])


@st.composite
def tensors(draw):
    tensor = torch.zeros(draw(SHAPES), dtype=draw(TYPES))
    return tensor.permute(draw(st.permutations(range(tensor.ndim))))


@given(st.lists(tensors(), min_size=1, max_size=5))
def test_tensors_lie_side_by_side_and_are_contiguous(some):
    placed = SharedMemory().place(some)
    for number, place in enumerate(placed):
        place.fill_(number)
    for number, (tensor, place) in enumerate(zip(some, placed, strict=True)):
        assert (place.shape, place.dtype) == (tensor.shape, tensor.dtype)
        assert place.is_contiguous()
        assert torch.equal(place, torch.full_like(tensor, number))


def test_equal_shapes_have_the_same_place_and_others_lie_over_it():
    memory = SharedMemory()
    first, second = torch.zeros(3, 5), torch.zeros(7, dtype=torch.int64)
    before = [tensor.data_ptr() for tensor in memory.place([first, second])]
    (other,) = memory.place([torch.zeros(11)])
    assert [tensor.data_ptr() for tensor in memory.place([first, second])] == before
    assert other.data_ptr() == before[0]


def test_what_needs_more_has_a_place_of_its_own():
    memory = SharedMemory()
    (small,) = memory.place([torch.zeros(9)])
    (large,) = memory.place([torch.zeros(1_000_000)])
    small.fill_(7)
    large.zero_()
    assert (small == 7).all()
