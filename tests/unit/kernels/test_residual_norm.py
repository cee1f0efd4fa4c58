import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import residual_norm as module
from saccade.kernels.random_bits import draw_seed

checked = jaxtyped(typechecker=beartype)
residual_norm, layer_norm, reference = (
    checked(module.residual_norm),
    checked(module.layer_norm),
    checked(module.reference),
)

EPSILON, SEED = 1e-6, 11


class Case:
    def __init__(self, device, shape, dropout=0.0, adds=True):
        generator = torch.Generator().manual_seed(3)
        shapes = [shape, shape, shape[-1:], shape[-1:], shape]
        states, update, weight, bias, gradient = (torch.randn(each, generator=generator).to(device) for each in shapes)
        self.operands = [states + 2, update, weight, bias] if adds else [states + 2, weight, bias]
        self.gradient, self.dropout, self.adds = gradient, dropout, adds

    def expected(self):
        torch.manual_seed(SEED)
        seed = draw_seed(self.gradient.device)
        leaves = [operand.detach().double().requires_grad_() for operand in self.operands]
        given = leaves if self.adds else [leaves[0], None, *leaves[1:]]
        result = reference(*given, EPSILON, self.dropout, seed)
        result.backward(self.gradient.double())
        return [result.detach(), *(leaf.grad for leaf in leaves)]

    def found(self, seed=SEED, dtypes=(torch.float32, torch.float32)):
        """`dtypes` are those of the states and of the update."""
        types = [*dtypes[: 2 if self.adds else 1], torch.float32, torch.float32]
        leaves = [
            operand.detach().to(dtype).requires_grad_() for operand, dtype in zip(self.operands, types, strict=True)
        ]
        torch.manual_seed(seed)
        result = residual_norm(*leaves, EPSILON, self.dropout)[0] if self.adds else layer_norm(*leaves, EPSILON)
        result.backward(self.gradient.to(result.dtype))
        return [result.detach(), *(leaf.grad for leaf in leaves)]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, dropout):
    case = Case(device, (1, 17, 37), dropout)
    assert_near(case.found(), case.expected(), 2e-6)


@pytest.mark.usefixtures("poison")
def test_without_an_update_it_is_the_layer_norm(device, assert_near):
    case = Case(device, (1, 17, 37), adds=False)
    assert_near(case.found(), case.expected(), 2e-6)


@given(rows=st.integers(1, 7), width=st.integers(11, 150), dropout=st.sampled_from([0.0, 0.1, 0.5]), adds=st.booleans())
@settings(max_examples=6, deadline=None)
def test_they_are_at_any_shape(device, assert_near, rows, width, dropout, adds):
    case = Case(device, (rows, width), dropout if adds else 0.0, adds)
    assert_near(case.found(), case.expected(), 2e-6)


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_the_gradients_of_both_readers_of_the_result_are_added(device, assert_near, dropout):
    """The next sub-layer reads one view of the result, the next residual sum the other, with different gradients."""
    case = Case(device, (1, 17, 37), dropout)
    leaves = [operand.detach().requires_grad_() for operand in case.operands]
    torch.manual_seed(SEED)
    for_the_sublayer, for_the_sum = residual_norm(*leaves, EPSILON, dropout)
    torch.autograd.backward([for_the_sublayer, for_the_sum], [3 * case.gradient, -2 * case.gradient])
    assert torch.equal(for_the_sublayer, for_the_sum)
    assert_near([for_the_sum.detach(), *(leaf.grad for leaf in leaves)], case.expected(), 1e-5)


def test_either_reader_alone_passes_its_gradient_back(device, assert_near):
    case = Case(device, (5, 13))
    for which in (0, 1):
        leaves = [operand.detach().requires_grad_() for operand in case.operands]
        view = residual_norm(*leaves, EPSILON)[which]
        view.backward(case.gradient)
        assert_near([view.detach(), *(leaf.grad for leaf in leaves)], case.expected(), 2e-6)


@pytest.mark.usefixtures("poison")
def test_more_rows_than_kernel_instances_are_looped_over(device, assert_near, monkeypatch):
    monkeypatch.setattr(module, "_INSTANCES", 5)
    case = Case(device, (23, 13), 0.3)
    assert_near(case.found(), case.expected(), 2e-6)


def test_another_seed_drops_others(device):
    case = Case(device, (7, 13), 0.4)
    one, same, other = (case.found(seed)[0] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


@pytest.mark.parametrize("which", [0, 1], ids=["states", "update"])
def test_rows_that_lie_in_columns_are_read_right(device, assert_near, which):
    case = Case(device, (11, 13), 0.3)
    case.operands[which] = case.operands[which].T.contiguous().T
    assert_near(case.found(), case.expected(), 2e-6)


def test_a_gradient_that_lies_in_columns_is_read_right(device, assert_near):
    case = Case(device, (11, 13), 0.3)
    case.gradient = case.gradient.T.contiguous().T
    assert_near(case.found(), case.expected(), 2e-6)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_an_update_in_bfloat16_is_near_and_everything_comes_back_in_its_own_type(device, assert_near, dropout):
    case = Case(device, (1, 17, 37), dropout)
    found = case.found(dtypes=(torch.float32, torch.bfloat16))
    low, full = torch.bfloat16, torch.float32
    assert [tensor.dtype for tensor in found] == [low, full, low, full, full]
    # 8 bits of mantissa for the update, the sum, the result and the gradient.
    assert_near(found, case.expected(), 2**-6)


def test_a_norm_under_autocast_is_stored_for_the_products_to_come(device, assert_near):
    case = Case(device, (1, 17, 37), adds=False)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        found = case.found()
    assert [tensor.dtype for tensor in found] == [torch.bfloat16, *[torch.float32] * 3]
    assert_near(found, case.expected(), 2**-6)
