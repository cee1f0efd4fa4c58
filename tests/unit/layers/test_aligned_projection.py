import pytest
import torch
from torch.nn import functional

from saccade.layers.aligned_projection import ROW_STEP, AlignedProjection


@pytest.mark.parametrize("vocabulary", [1, ROW_STEP - 1, ROW_STEP, ROW_STEP + 1, 301])
@pytest.mark.parametrize("biased", [False, True])
def test_it_is_the_projection_with_rows_that_begin_at_multiples(device, vocabulary, biased):
    torch.manual_seed(vocabulary)
    weight, states = torch.randn(vocabulary, 24, device=device), torch.randn(5, 24, device=device)
    bias = torch.randn(vocabulary, device=device) if biased else None
    found = AlignedProjection.of(weight, bias)(states)
    assert found.shape == (5, vocabulary)
    assert found.stride(0) % ROW_STEP == 0
    torch.testing.assert_close(found, functional.linear(states, weight, bias), rtol=1e-5, atol=1e-5)


def test_a_vocabulary_that_fits_is_not_copied():
    weight, bias = torch.randn(2 * ROW_STEP, 8), torch.randn(2 * ROW_STEP)
    made = AlignedProjection.of(weight, bias)
    assert made.weight is weight
    assert made.bias is bias
