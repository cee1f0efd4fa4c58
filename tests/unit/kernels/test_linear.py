from itertools import product

import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import linear as module

checked = jaxtyped(typechecker=beartype)
linear, reference = checked(module.linear), checked(module.reference)
backward_sums, weight_gradient = checked(module.backward_sums), checked(module.weight_gradient)


def inputs(device, rows, width, inner, biased, seed=3):
    generator = torch.Generator().manual_seed(seed)
    shapes = [(*rows, width), (inner, width), (inner,)][: 3 if biased else 2]
    states, weight, *bias = (torch.randn(shape, generator=generator).to(device) for shape in shapes)
    return [states, weight, bias[0] if biased else None]


def results(function, operands, precise=False, **options):
    """The result and the gradients of a sum in which every element counts differently."""
    leaves = [None if tensor is None else tensor.detach().clone() for tensor in operands]
    leaves = [None if leaf is None else (leaf.double() if precise else leaf).requires_grad_() for leaf in leaves]
    result = function(*leaves, **options)
    share = (torch.arange(result.numel(), device=result.device) % 31 - 15).view(result.shape) / 8  # exact in any type
    (result * share.to(result.dtype)).sum().backward()
    return [result.detach(), *(leaf.grad for leaf in leaves if leaf is not None)]


@pytest.mark.parametrize(("biased", "relu"), [*product([False, True], repeat=2)])
def test_values_and_gradients_are_those_of_the_equation(device, biased, relu, assert_near):
    operands = inputs(device, (1, 29), 13, 37, biased)
    assert_near(results(linear, operands, relu=relu), results(reference, operands, precise=True, relu=relu), 2e-6)


@given(
    rows=st.integers(1, 300),
    width=st.integers(1, 40),
    inner=st.integers(1, 300),
    biased=st.booleans(),
    relu=st.booleans(),
)
@settings(max_examples=6, deadline=None)
def test_they_are_at_any_shape(device, rows, width, inner, biased, relu, assert_near):
    operands = inputs(device, (rows,), width, inner, biased)
    assert_near(results(linear, operands, relu=relu), results(reference, operands, precise=True, relu=relu), 1e-5)


@pytest.mark.parametrize(("rows", "width"), [(1, 1), (127, 255), (128, 256), (131, 257), (257, 17)])
def test_sums_reach_every_row_and_column_of_every_tile(device, rows, width, assert_near):
    generator = torch.Generator().manual_seed(rows)
    gradient, result = (torch.randn(rows, width, generator=generator).to(device) for _ in range(2))
    slopes, sums = backward_sums(gradient, result.relu())
    assert torch.equal(slopes, gradient * (result > 0))
    assert_near([sums], [slopes.double().sum(0)], 2e-6)


def test_without_a_relu_the_gradient_is_passed_on_as_it_is(device, assert_near):
    gradient = torch.randn(19, 23, device=device)
    slopes, sums = backward_sums(gradient, None)
    assert slopes.data_ptr() == gradient.data_ptr()
    assert_near([sums], [gradient.double().sum(0)], 2e-6)


def test_a_gradient_that_lies_in_columns_is_read_right(device, assert_near):
    gradient = torch.randn(23, 19, device=device).T
    slopes, sums = backward_sums(gradient, torch.ones(19, 23, device=device))
    assert torch.equal(slopes, gradient)
    assert_near([sums], [gradient.double().sum(0)], 2e-6)


@pytest.mark.parametrize("relu", [False, True])
def test_under_autocast_products_are_in_bfloat16_and_gradients_come_back_in_the_type_of_the_weights(
    device, relu, assert_near
):
    operands = inputs(device, (1, 29), 13, 37, biased=True)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        found = results(linear, operands, relu=relu)
    assert found[0].dtype == torch.bfloat16
    assert {gradient.dtype for gradient in found[1:]} == {torch.float32}
    # 8 bits of mantissa, of which two roundings and a sum of 13 to 37 products leave six.
    assert_near(found, results(reference, operands, precise=True, relu=relu), 2**-6)


def test_the_gradient_of_a_weight_is_not_rounded_on_the_way(gpu):
    """Sums of bfloat16 products leave in float32: two large rows cancel, and what is left is exact."""
    slopes = torch.tensor([[1.0], [-1.0], [1.0]], device=gpu, dtype=torch.bfloat16)
    rows = torch.tensor([[2.0**12], [2.0**12], [1 + 2.0**-7]], device=gpu, dtype=torch.bfloat16)
    gradient = weight_gradient(slopes, rows, torch.float32)
    assert gradient.dtype == torch.float32
    assert gradient.item() == 1 + 2.0**-7
