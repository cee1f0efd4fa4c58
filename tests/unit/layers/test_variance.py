import pytest
import torch

from saccade.layers.variance import VARIANCE_SCALINGS, LinearFactory, scaled_gradient

INPUTS, OUTPUTS, ROWS = 211, 307, 401


@pytest.mark.parametrize("normalised", [True, False])
def test_a_map_keeps_the_variance_of_its_inputs(normalised):
    torch.manual_seed(5)
    mapped = LinearFactory(dropout=0.0, weight_normalisation=normalised).linear(INPUTS, OUTPUTS)(
        torch.randn(ROWS, INPUTS)
    )
    assert mapped.var().item() == pytest.approx(1.0, rel=0.05)


def test_a_map_of_what_dropout_has_met_keeps_the_variance_from_before_it():
    torch.manual_seed(5)
    inputs = torch.nn.functional.dropout(torch.randn(ROWS, INPUTS), 0.4)
    mapped = LinearFactory(dropout=0.4, weight_normalisation=False).linear(INPUTS, OUTPUTS, dropped=True)(inputs)
    assert mapped.var().item() == pytest.approx(1.0, rel=0.05)


def test_a_gate_takes_away_most_of_what_its_map_had_more():
    torch.manual_seed(5)
    convolution = LinearFactory(dropout=0.0, weight_normalisation=False).convolution(INPUTS, OUTPUTS, 3, before=1)
    gated = convolution(torch.randn(7, 59, INPUTS))[:, 1:-1]  # at the borders a window has zeros in it
    # The paper takes the mean of sigma(b)^2 for a quarter; for b of variance 4 it is 0.347.
    assert gated.square().mean().item() == pytest.approx(4 * 0.347, rel=0.05)


@pytest.mark.parametrize(("name", "factors"), [("paper", [2.0, 3.0]), ("unscaled", [1.0, 1.0])])
def test_the_mean_of_m_positions_is_scaled_by_the_root_of_m(name, factors):
    assert VARIANCE_SCALINGS[name].factor(torch.tensor([4, 9]), torch.float64).tolist() == pytest.approx(factors)


def test_forward_nothing_changes_and_backward_the_factor_does():
    states = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    scaled = scaled_gradient(states, 0.25)
    assert torch.equal(scaled, states)
    scaled.square().sum().backward()
    assert states.grad.tolist() == [0.5, -1.0, 1.5]
