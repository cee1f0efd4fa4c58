import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels.column_sums import column_sums, reference


@given(
    several=st.lists(st.integers(1, 3), max_size=2),
    rows=st.sampled_from([1, 2, 17, 511, 512, 513, 1100]),
    width=st.sampled_from([1, 15, 16, 17, 67]),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=20, deadline=None)
def test_the_program_adds_up_columns(device, assert_near, several, rows, width, seed):
    parts = torch.randn(*several, rows, width, generator=torch.Generator().manual_seed(seed)).to(device)
    assert_near([column_sums(parts)], [reference(parts.double())], 1e-5)


def test_matrices_may_lie_otherwise_in_memory(device, assert_near):
    parts = torch.randn(5, 7, 3, generator=torch.Generator().manual_seed(3)).to(device).transpose(0, 2)
    assert_near([column_sums(parts)], [reference(parts.double())], 1e-6)
