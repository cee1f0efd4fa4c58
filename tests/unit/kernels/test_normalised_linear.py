import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import normalised_linear as module

checked = jaxtyped(typechecker=beartype)
normalised_linear, reference = checked(module.normalised_linear), checked(module.reference)


def operands(device, rows, width, inner, biased):
    generator = torch.Generator().manual_seed(3)
    shapes = [(*rows, width), (inner, width), (inner,), (inner,)][: 4 if biased else 3]
    states, direction, length, *bias = (torch.randn(shape, generator=generator).to(device) for shape in shapes)
    # The gradient of a row is divided by how long the row is, and so is what rounding did to it: none is short.
    direction[:, 0] += direction[:, 0].sign()
    return [states, direction, length, bias[0] if biased else None]


def results(function, given, precise=False):
    """The result and the gradients of a mean over rows in which every element counts differently."""
    leaves = [None if each is None else (each.double() if precise else each.detach().clone()) for each in given]
    leaves = [None if leaf is None else leaf.requires_grad_() for leaf in leaves]
    result = function(*leaves)
    share = (torch.arange(result.numel(), device=result.device) % 31 - 15).view(result.shape) / 8
    (result * share.to(result.dtype)).sum().div(result[..., 0].numel()).backward()
    return [result.detach(), *(leaf.grad for leaf in leaves if leaf is not None)]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("width", [13, 2047, 2049], ids=["one block", "nearly a whole one", "two"])
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, width, biased):
    given = operands(device, (2, 7), width, 5, biased)
    assert_near(results(normalised_linear, given), results(reference, given, precise=True), 1e-5)


@given(rows=st.integers(1, 60), width=st.integers(1, 60), inner=st.integers(1, 60), biased=st.booleans())
@settings(max_examples=8, deadline=None)
def test_they_are_at_any_shape(device, assert_near, rows, width, inner, biased):
    given = operands(device, (rows,), width, inner, biased)
    assert_near(results(normalised_linear, given), results(reference, given, precise=True), 1e-5)


def test_it_is_torchs_weight_normalisation(device):
    states, direction, length, bias = operands(device, (3, 4), 11, 6, biased=True)
    theirs = torch.nn.functional.linear(states, torch._weight_norm(direction, length.unsqueeze(1), 0), bias)
    torch.testing.assert_close(normalised_linear(states, direction, length, bias), theirs, rtol=1e-5, atol=1e-5)


def test_products_in_bfloat16_leave_gradients_of_the_parameters_in_float32(device, assert_near):
    given = operands(device, (9,), 16, 8, biased=True)
    with torch.autocast(device.type, torch.bfloat16):
        result = results(normalised_linear, given)
    assert [tensor.dtype for tensor in result] == [torch.bfloat16, *[torch.float32] * 4]
    assert_near(result, results(reference, given, precise=True), 2**-5)
