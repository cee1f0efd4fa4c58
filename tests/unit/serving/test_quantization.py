import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import FormatError
from saccade.serving.quantization import pack, unpack


def weights(rows: int, columns: int, seed: int, magnitude: float) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed)) * magnitude


def test_float32_is_exact():
    matrix = weights(5, 7, 1, 1.0)
    assert torch.equal(unpack(pack({"w": matrix}, "float32"))["w"], matrix)


@given(rows=st.integers(1, 11), columns=st.integers(1, 13), seed=st.integers(0, 99), power=st.integers(-20, 12))
def test_int8_errs_by_at_most_half_a_step_of_its_row(rows, columns, seed, power):
    matrix = weights(rows, columns, seed, 2.0**power)
    restored = unpack(pack({"w": matrix}, "int8"))["w"]
    step = matrix.abs().amax(dim=1, keepdim=True) / 127
    assert ((matrix - restored).abs() <= step * 0.50001).all()


def test_int8_takes_a_byte_for_each_weight_and_keeps_vectors_whole():
    packed = pack({"matrix": weights(5, 7, 1, 1.0), "vector": torch.arange(3.0) / 7}, "int8")
    assert packed["matrix"].dtype == torch.int8
    assert torch.equal(unpack(packed)["vector"], torch.arange(3.0) / 7)


def test_int8_keeps_a_row_of_zeros():
    assert torch.equal(unpack(pack({"w": torch.zeros(2, 3)}, "int8"))["w"], torch.zeros(2, 3))


def test_packing_what_was_unpacked_changes_nothing_more():
    once = unpack(pack({"w": weights(5, 7, 3, 0.1)}, "int8"))
    assert torch.allclose(unpack(pack(once, "int8"))["w"], once["w"], rtol=1e-6, atol=0)


def test_a_convolution_kernel_is_scaled_by_output_channel():
    kernel = weights(3, 35, 2, 1.0).view(3, 5, 7)
    restored = unpack(pack({"w": kernel}, "int8"))["w"]
    assert restored.shape == kernel.shape
    assert (kernel - restored).abs().max() < kernel.abs().max() / 250


def test_float16_errs_by_its_own_precision():
    matrix = weights(5, 7, 1, 1.0)
    assert torch.allclose(unpack(pack({"w": matrix}, "float16"))["w"], matrix, rtol=2**-10, atol=1e-7)


def test_float16_keeps_what_it_cannot_hold_in_float32():
    assert unpack(pack({"w": torch.tensor([1e9])}, "float16"))["w"] == 1e9


def test_integers_stay_integers():
    counts = torch.tensor([3, 5])
    assert torch.equal(unpack(pack({"n": counts}, "int8"))["n"], counts)


def test_weights_that_are_not_finite_are_not_stored():
    with pytest.raises(FormatError, match="'bad' holds infinite numbers or NaN"):
        pack({"good": torch.ones(2), "bad": torch.tensor([1.0, torch.nan])}, "int8")
