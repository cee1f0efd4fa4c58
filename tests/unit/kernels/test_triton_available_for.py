import pytest
import torch

from saccade.kernels import triton_available_for


def test_a_processor_does_without_programs():
    assert not triton_available_for(torch.zeros(3))


@pytest.mark.parametrize(("dtype", "expected"), [(torch.float32, True), (torch.bfloat16, True), (torch.float64, False)])
def test_a_gpu_uses_them_for_what_they_compute_as_precisely(gpu, dtype, expected):
    pytest.importorskip("triton", reason="triton is not installed: no kernels here")
    assert triton_available_for(torch.zeros(3, dtype=dtype, device=gpu)) == expected
