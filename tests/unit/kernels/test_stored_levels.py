"""Levels are found again in floats that are products of levels and scales, and in no others."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.kernels.stored_levels import stored_levels


def levels_and_scales(rows: int, inner: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """As `serving/quantization.py` writes them: the largest number of a row is level 127 or -127."""
    generator = torch.Generator().manual_seed(seed)
    levels = torch.randint(-127, 128, (rows, inner), generator=generator, dtype=torch.int8)
    levels[:, seed % inner] = 127 if seed % 2 else -127
    return levels, torch.rand(rows, generator=generator) * 10.0 ** -(seed % 9)


@given(rows=st.integers(1, 40), inner=st.integers(1, 23), seed=st.integers(0, 99_999))
def test_products_of_levels_and_scales_are_found_to_the_last_bit(rows, inner, seed):
    levels, scales = levels_and_scales(rows, inner, seed)
    weights = levels * scales.unsqueeze(1)
    found = stored_levels(weights)
    assert found is not None
    assert torch.equal(found[0].float() * found[1].unsqueeze(1), weights)
    assert torch.equal(found[0], levels)


def test_rows_of_zeros_are_levels_of_zero():
    levels, scales = levels_and_scales(5, 11, 3)
    levels[2] = 0
    found = stored_levels(levels * scales.unsqueeze(1))
    assert found is not None
    assert not found[0][2].any()


@given(row=st.integers(0, 6), column=st.integers(0, 10), seed=st.integers(0, 9_999))
def test_one_number_in_the_last_bit_off_is_no_product(row, column, seed):
    levels, scales = levels_and_scales(7, 11, seed)
    levels[row, column] = 77
    levels[row, (column + 1) % 11] = 127
    weights = levels * (scales + 1e-3).unsqueeze(1)
    weights[row, column] = weights[row, column].nextafter(torch.tensor(torch.inf))
    assert stored_levels(weights) is None


def test_other_weights_have_no_levels():
    generator = torch.Generator().manual_seed(1)
    assert stored_levels(torch.randn(5, 7, generator=generator)) is None
    assert stored_levels(torch.full((3, 2), torch.nan)) is None
    assert stored_levels(torch.full((3, 2), torch.inf)) is None
    assert stored_levels(torch.zeros(0, 4)) is None
    assert stored_levels(torch.zeros(4, 0)) is None


def test_the_smallest_floats_are_never_levels_that_no_byte_holds():
    smallest = 2.0**-149
    for highest in range(1, 400):
        weights = torch.tensor([[highest, -highest, 1.0]]).double().mul(smallest).float()
        found = stored_levels(weights)
        if found is not None:
            assert torch.equal(found[0].float() * found[1].unsqueeze(1), weights)
