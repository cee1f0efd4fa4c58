import pytest
import torch

from saccade.decoding.length_penalty import coverage_penalty, length_penalty


@pytest.mark.parametrize(
    ("length", "alpha", "expected"),
    [
        (1, 0.6, 1.0),
        (7, 0.6, 1.515717),
        (10, 0.6, 1.732862),
        (20, 0.6, 2.354362),
        (50, 0.6, 3.778565),
        (10, 0.3, 1.316382),
        (100, 0.3, 2.359997),
        (83, 0.0, 1.0),
    ],
)
def test_length_penalty_has_the_values_of_the_specification(length, alpha, expected):
    assert length_penalty(length, alpha) == pytest.approx(expected, abs=5e-7)


def test_length_penalty_of_a_tensor_is_that_of_its_numbers():
    lengths = torch.tensor([1.0, 7.0, 50.0], dtype=torch.float64)
    assert length_penalty(lengths, 0.6).tolist() == pytest.approx([length_penalty(n, 0.6) for n in (1, 7, 50)])


def test_coverage_counts_what_received_less_than_one_unit_of_attention():
    # The first input receives 1.5, the second 0.5.
    weights = torch.tensor([[[0.75, 0.25], [0.75, 0.25]]])
    real = torch.ones(1, 2, dtype=torch.bool)
    penalty = coverage_penalty(weights, real, real, beta=0.2)
    assert penalty.item() == pytest.approx(0.2 * torch.tensor(0.5).log().item())


def test_coverage_ignores_padding_on_both_sides():
    weights = torch.rand(1, 5, 3, generator=torch.Generator().manual_seed(3))
    target = torch.tensor([[True, True, True, False, False]])
    source = torch.tensor([[True, True, False]])
    alone = coverage_penalty(weights[:, :3, :2], target[:, :3], source[:, :2], beta=0.7)
    assert coverage_penalty(weights, target, source, beta=0.7).item() == pytest.approx(alone.item())


def test_coverage_of_an_input_that_nothing_looked_at_is_finite():
    real = torch.ones(1, 1, dtype=torch.bool)
    assert torch.isfinite(coverage_penalty(torch.zeros(1, 1, 1), real, real, beta=1.0)).all()
