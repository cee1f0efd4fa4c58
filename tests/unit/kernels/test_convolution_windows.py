import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import convolution_windows as module
from saccade.kernels.random_bits import draw_seed

checked = jaxtyped(typechecker=beartype)
convolution_windows, reference = checked(module.convolution_windows), checked(module.reference)

SEED = 5


def operands(device, batch, length, width, size):
    generator = torch.Generator().manual_seed(3)
    shapes = (batch, length, width), (batch, length, size * width), (batch, length, width)
    states, gradient, beside = (torch.randn(shape, generator=generator).to(device) for shape in shapes)
    lengths = torch.randint(1, length + 1, (batch, 1), generator=generator)
    real = (torch.arange(length) < lengths).to(device)
    return states, real, gradient, beside


def expected(states, real, gradient, beside, size, before, dropout):
    torch.manual_seed(SEED)
    leaf = states.double().requires_grad_()
    together = reference(leaf, real, size, before, dropout, draw_seed(states.device))
    together.backward(gradient.double())
    return [together.detach(), leaf.grad if beside is None else leaf.grad + beside.double()]


def found(states, real, gradient, beside, size, before, dropout):
    torch.manual_seed(SEED)
    leaf = states.detach().clone().requires_grad_()
    together, again = convolution_windows(leaf, real, size, before, dropout)
    assert torch.equal(again, states)
    if beside is None:
        together.backward(gradient.to(together.dtype))
    else:
        torch.autograd.backward([together, again], [gradient.to(together.dtype), beside.to(again.dtype)])
    return [together.detach(), leaf.grad]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize(("size", "before"), [(1, 0), (3, 1), (3, 2), (5, 2), (5, 4)])
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, size, before, dropout):
    states, real, gradient, beside = operands(device, 3, 7, 6, size)
    for mask, other in ((None, None), (real, None), (real, beside), (None, beside)):
        given = states, mask, gradient, other, size, before, dropout
        assert_near(found(*given), expected(*given), 1e-6)


@given(
    batch=st.integers(1, 4),
    length=st.integers(1, 9),
    width=st.integers(1, 40),
    half=st.integers(0, 3),
    dropout=st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=10, deadline=None)
def test_they_are_at_any_shape(device, assert_near, batch, length, width, half, dropout):
    size = 2 * half + 1
    given = *operands(device, batch, length, width, size), size, half, dropout
    assert_near(found(*given), expected(*given), 1e-6)


def test_only_what_else_reads_the_states_may_have_a_gradient(device):
    states, real, _, beside = operands(device, 2, 5, 4, 3)
    leaf = states.clone().requires_grad_()
    _, again = convolution_windows(leaf, real, 3, 1, 0.3)
    again.backward(beside)
    assert torch.equal(leaf.grad, beside)


def test_windows_of_bfloat16_are_near(device, assert_near):
    states, real, gradient, beside = operands(device, 2, 5, 6, 3)
    result = found(states.bfloat16(), real, gradient, beside, 3, 1, 0.3)
    assert [tensor.dtype for tensor in result] == [torch.bfloat16] * 2
    assert_near(result, expected(states, real, gradient, beside, 3, 1, 0.3), 2**-6)


def test_without_dropout_no_states_are_kept_for_the_way_back(device):
    states, real, *_ = operands(device, 2, 5, 4, 3)
    together, _ = convolution_windows(states.requires_grad_(), real, 3, 1, 0.0)
    kept = [tensor for tensor in together.grad_fn.saved_tensors if tensor is not None]
    assert [tensor.dtype for tensor in kept] == [torch.bool]
