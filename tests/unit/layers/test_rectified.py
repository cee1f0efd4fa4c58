import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from saccade.layers.feedforward import FeedForward
from saccade.layers.rectified import rectified


def drawn(*shapes, dtype=torch.float64):
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(*shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


def plain(states, inner, inner_bias, outer, outer_bias):
    return functional.linear(functional.relu(functional.linear(states, inner, inner_bias)), outer, outer_bias)


@settings(max_examples=30, deadline=None)
@given(
    batch=st.integers(1, 3), length=st.integers(1, 7), width=st.integers(1, 5), inner=st.integers(1, 11),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)  # fmt: skip
def test_values_and_gradients_equal_those_of_equation_2(batch, length, width, inner, dtype):
    tensors = drawn((batch, length, width), (inner, width), (inner,), (width, inner), (width,), dtype=dtype)
    doubles = [tensor.detach().double().requires_grad_() for tensor in tensors]
    found, expected = rectified(*tensors), plain(*doubles)
    assert torch.allclose(found.double(), expected, atol=1e-4)
    gradients = torch.autograd.grad(found.square().sum(), tensors)
    for a, b in zip(gradients, torch.autograd.grad(expected.square().sum(), doubles), strict=True):
        assert torch.allclose(a.double(), b, rtol=1e-4, atol=1e-3)


def test_gradcheck():
    assert torch.autograd.gradcheck(rectified, drawn((2, 3, 5), (7, 5), (7,), (5, 7), (5,)))


def test_the_network_computes_the_same_with_and_without_gradients():
    network = FeedForward(5, 11)
    states = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        expected = network(states)
    assert torch.allclose(network(states), expected, atol=1e-6)
