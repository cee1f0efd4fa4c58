import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels.block_maxima import block_maxima, reference

NEVER = (0, 3)


def rows_of(rows, vocabulary, seed, device):
    generator = torch.Generator().manual_seed(seed)
    return (5 * torch.randn(rows, vocabulary, generator=generator, dtype=torch.float64)).float().to(device)


@given(
    rows=st.integers(1, 3),
    vocabulary=st.sampled_from([5, 63, 64, 65, 300, 4096, 4097, 9001]),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=20, deadline=None)
def test_the_program_computes_the_equations(device, assert_near, rows, vocabulary, seed):
    logits = rows_of(rows, vocabulary, seed, device)
    normaliser, maxima = block_maxima(logits, 64, NEVER)
    exact_normaliser, exact_maxima = reference(logits.double(), 64, NEVER)
    assert_near([normaliser, maxima], [exact_normaliser, exact_maxima], 1e-6)


def test_a_token_that_may_not_be_written_counts_for_the_normaliser_alone(device):
    logits = torch.zeros(1, 70, device=device)
    logits[0, 3] = 50.0
    normaliser, maxima = block_maxima(logits, 64, NEVER)
    assert normaliser.item() == pytest.approx(50.0)
    assert maxima.tolist() == [[0.0, 0.0]]


def test_a_row_that_is_not_a_number_has_no_normaliser(device):
    logits = rows_of(2, 131, 3, device)
    logits[1, 77] = torch.nan
    normaliser, _ = block_maxima(logits, 64, NEVER)
    assert normaliser.isnan().tolist() == [False, True]


def test_a_row_may_lie_in_a_wider_matrix(device, assert_near):
    wide = rows_of(3, 200, 4, device)
    assert_near(block_maxima(wide[:, :131], 64, NEVER), block_maxima(wide[:, :131].contiguous(), 64, NEVER), 0.0)
