"""How the tests of this room compare a program with the equation."""

import pytest
import torch


@pytest.fixture(scope="session")
def assert_near():
    """Fails unless everything is within `tolerance` of the largest element, or of one where all are smaller.

    What rounding does to the sum of many numbers depends on the largest of them, not on the sum.
    """

    def assert_near(found, expected, tolerance):
        for one, other in zip(found, expected, strict=True):
            assert one.shape == other.shape
            assert one.isfinite().all()
            assert (one.double() - other.double()).abs().max() <= tolerance * max(1.0, other.abs().max().item())

    return assert_near


@pytest.fixture
def poison():
    """Memory that nobody has written holds NaN, so that whoever reads it is found out."""
    torch.use_deterministic_algorithms(True)  # which is when torch fills it
    yield
    torch.use_deterministic_algorithms(False)
