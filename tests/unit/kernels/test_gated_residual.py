import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import gated_residual as module

checked = jaxtyped(typechecker=beartype)
gated_residual, reference = checked(module.gated_residual), checked(module.reference)


def operands(device, *shape):
    generator = torch.Generator().manual_seed(3)
    width = shape[-1]
    shapes = (*shape[:-1], 2 * width), (2 * width,), shape, shape
    return [torch.randn(each, generator=generator).to(device) for each in shapes]


def results(function, product, bias, past, gradient, factor, precise=False):
    leaves = [
        (tensor.double() if precise else tensor.detach().clone()).requires_grad_() for tensor in (product, bias, past)
    ]
    result = function(*leaves, factor)
    result.backward(gradient.to(result.dtype))
    return [result.detach(), *(leaf.grad for leaf in leaves)]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("shape", [(1, 1), (2, 17, 130), (33, 128), (31, 5)])
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, shape):
    given = *operands(device, *shape), 0.5**0.5
    assert_near(results(gated_residual, *given), results(reference, *given, precise=True), 3e-6)


@given(rows=st.integers(1, 70), width=st.integers(1, 140), factor=st.floats(0.1, 2.0))
@settings(max_examples=10, deadline=None)
def test_they_are_at_any_shape(device, assert_near, rows, width, factor):
    given = *operands(device, rows, width), factor
    assert_near(results(gated_residual, *given), results(reference, *given, precise=True), 3e-6)


def test_everything_comes_back_in_its_own_type(device, assert_near):
    product, bias, past, gradient = operands(device, 11, 13)
    result = results(gated_residual, product.bfloat16(), bias, past, gradient, 0.5)
    assert [tensor.dtype for tensor in result] == [torch.bfloat16, torch.bfloat16, torch.float32, torch.float32]
    assert_near(result, results(reference, product, bias, past, gradient, 0.5, precise=True), 2**-6)
