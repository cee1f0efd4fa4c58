import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.hardware import emulated_bfloat16
from saccade.sequences import Sequences
from saccade.training.label_smoothing import smoothed_cross_entropy, uniform_share
from saccade.training.label_smoothing_fast import linear_cross_entropy


def problem(lengths, vocabulary: int, width: int, scale: float = 1.0):
    generator = torch.Generator().manual_seed(3)
    target = Sequences.of([torch.randint(4, vocabulary, (length,), generator=generator).tolist() for length in lengths])
    states = torch.randn(*target.tokens.shape, width, generator=generator) * scale
    projection = torch.randn(vocabulary, width, generator=generator)
    return target, states.requires_grad_(), projection.requires_grad_()


@settings(max_examples=50, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    vocabulary=st.integers(5, 31),
    width=st.integers(1, 11),
    smoothing=st.sampled_from([0.0, 0.1, 0.37]),
    rows_at_once=st.integers(1, 40),
)
def test_values_and_gradients_equal_those_of_the_equation(lengths, vocabulary, width, smoothing, rows_at_once):
    target, states, projection = problem(lengths, vocabulary, width)
    doubles = [tensor.detach().double().requires_grad_() for tensor in (states, projection)]
    expected = smoothed_cross_entropy(doubles[0] @ doubles[1].t(), target.tokens, target.mask, smoothing)
    found = linear_cross_entropy(
        states.flatten(0, 1),
        projection,
        target.tokens.flatten(),
        target.mask.flatten(),
        uniform_share(smoothing, vocabulary),
        rows_at_once,
    )
    for a, b in zip(found, expected, strict=True):
        assert torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-4)
    expected_gradients = torch.autograd.grad(expected.smoothed * 0.7, doubles)
    for a, b in zip(torch.autograd.grad(found[0] * 0.7, (states, projection)), expected_gradients, strict=True):
        assert torch.allclose(a.double(), b, atol=1e-4)


@settings(max_examples=50, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    vocabulary=st.integers(5, 31),
    width=st.integers(1, 11),
    rows_at_once=st.integers(1, 40),
)
def test_in_bfloat16_sums_are_float32_and_the_rest_is_near(lengths, vocabulary, width, rows_at_once):
    """Logits and probabilities keep two to three digits; the gradient of the projection is summed in float32."""
    target, states, projection = problem(lengths, vocabulary, width)
    low_precision = states.detach().bfloat16().requires_grad_()
    doubles = [low_precision.detach().double(), projection.detach().bfloat16().double()]
    doubles = [tensor.requires_grad_() for tensor in doubles]
    expected = smoothed_cross_entropy(doubles[0] @ doubles[1].t(), target.tokens, target.mask, 0.1)
    with emulated_bfloat16():
        found = linear_cross_entropy(
            low_precision.flatten(0, 1),
            projection,
            target.tokens.flatten(),
            target.mask.flatten(),
            uniform_share(0.1, vocabulary),
            rows_at_once,
        )
    assert {part.dtype for part in found} == {torch.float32}
    with torch.no_grad():
        tokens, largest = target.total, float((doubles[0] @ doubles[1].t()).abs().amax())
    assert abs(found[0].item() - expected.smoothed.item()) < 2**-7 * (1 + largest) * tokens
    expected_gradients = torch.autograd.grad(expected.smoothed, doubles)
    gradients = torch.autograd.grad(found[0], (low_precision, projection))
    assert [gradient.dtype for gradient in gradients] == [torch.bfloat16, torch.float32]
    for a, b, other in zip(gradients, expected_gradients, reversed(doubles), strict=True):
        bound = 2**-6 * (1 + largest) * max(1.0, float(other.detach().abs().amax()))
        assert torch.allclose(a.double(), b, atol=bound * (1 if a is gradients[0] else tokens))


def test_a_token_of_vanishing_probability_has_a_finite_loss():
    states = torch.tensor([[400.0, 0.0]], requires_grad=True)
    projection = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    _, plain, _ = linear_cross_entropy(states, projection, torch.tensor([2]), torch.tensor([True]), 0.1)
    assert float(plain) == pytest.approx(800.0)


def test_padding_gets_no_gradient():
    target, states, projection = problem([4, 2], 11, 3)
    loss = linear_cross_entropy(states.flatten(0, 1), projection, target.tokens.flatten(), target.mask.flatten(), 0.1)
    (gradient,) = torch.autograd.grad(loss[0], states)
    assert (gradient[1, 2:] == 0).all()
    assert (gradient[1, :2] != 0).any()


def test_no_gradient_is_computed_without_grad_mode():
    target, states, projection = problem([4, 2], 11, 3)
    with torch.no_grad():
        loss = linear_cross_entropy(
            states.flatten(0, 1), projection, target.tokens.flatten(), target.mask.flatten(), 0.1
        )
    assert not loss[0].requires_grad


def test_a_second_backward_pass_is_refused():
    target, states, projection = problem([4, 2], 11, 3)
    loss = linear_cross_entropy(states.flatten(0, 1), projection, target.tokens.flatten(), target.mask.flatten(), 0.1)[
        0
    ]
    loss.backward(retain_graph=True)
    with pytest.raises(AssertionError, match="one backward pass"):
        loss.backward()
