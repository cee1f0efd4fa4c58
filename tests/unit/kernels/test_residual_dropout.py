import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import residual_dropout as module
from saccade.kernels.random_bits import draw_seed

checked = jaxtyped(typechecker=beartype)
residual_dropout, reference = checked(module.residual_dropout), checked(module.reference)

SEED = 11


def operands(device, *shape):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator).to(device) for _ in range(3)]


def expected(states, update, gradient, dropout):
    torch.manual_seed(SEED)
    leaves = [tensor.double().requires_grad_() for tensor in (states, update)]
    total = reference(*leaves, dropout, draw_seed(states.device))
    total.backward(gradient.double())
    return [total.detach(), *(leaf.grad for leaf in leaves)]


def found(states, update, gradient, dropout, seed=SEED):
    leaves = [tensor.detach().clone().requires_grad_() for tensor in (states, update)]
    torch.manual_seed(seed)
    total = residual_dropout(*leaves, dropout)
    total.backward(gradient.to(total.dtype))
    return [total.detach(), *(leaf.grad for leaf in leaves)]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize(
    "rows", [7, 59, 61], ids=["a part of a block", "a little less than two blocks", "a little more"]
)
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, rows):
    given = operands(device, 1, rows, 68)
    assert_near(found(*given, 0.3), expected(*given, 0.3), 1e-6)


@given(rows=st.integers(1, 50), width=st.integers(1, 50), dropout=st.floats(0.01, 0.9))
@settings(max_examples=10, deadline=None)
def test_they_are_at_any_shape(device, assert_near, rows, width, dropout):
    given = operands(device, rows, width)
    assert_near(found(*given, dropout), expected(*given, dropout), 1e-6)


def test_another_seed_drops_others(device):
    given = operands(device, 7, 13)
    one, same, other = (found(*given, 0.4, seed)[0] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["states", "update", "gradient"])
def test_rows_that_lie_in_columns_are_read_right(device, assert_near, which):
    given = operands(device, 11, 13)
    given[which] = given[which].T.contiguous().T
    assert_near(found(*given, 0.3), expected(*given, 0.3), 1e-6)


def test_an_update_in_bfloat16_is_near_and_everything_comes_back_in_its_own_type(device, assert_near):
    states, update, gradient = operands(device, 11, 13)
    result = found(states, update.bfloat16(), gradient, 0.3)
    assert [tensor.dtype for tensor in result] == [torch.float32, torch.float32, torch.bfloat16]
    assert_near(result, expected(states, update, gradient, 0.3), 2**-7)
