import pytest
import torch

from saccade.layers.cells_fast import reset_before_states


@pytest.mark.parametrize("keeps", [False, True])
def test_the_gradient_worked_out_by_hand_is_the_one_that_differences_give(keeps):
    cells, batch, length, width = 2, 3, 5, 2
    torch.manual_seed(11)
    projected = torch.randn(cells, batch, length, 3 * width, dtype=torch.float64, requires_grad=True)
    state = torch.randn(cells, batch, width, dtype=torch.float64, requires_grad=True)
    recurrent = torch.randn(cells, 3 * width, width, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(reset_before_states, (projected, state, recurrent, keeps))


@torch.no_grad()
def test_units_side_by_side_do_not_hear_each_other():
    torch.manual_seed(11)
    projected, state, recurrent = torch.randn(2, 3, 5, 21), torch.randn(2, 3, 7), torch.randn(2, 21, 7)
    together = reset_before_states(projected, state, recurrent, True)
    for cell in range(2):
        alone = slice(cell, cell + 1)
        torch.testing.assert_close(
            together[alone], reset_before_states(projected[alone], state[alone], recurrent[alone], True)
        )
