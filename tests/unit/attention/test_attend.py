import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.attend import explicit, fused, windowed
from saccade.attention.masks import Visibility

BATCH, HEADS, KEY_WIDTH, VALUE_WIDTH = 2, 3, 5, 7


def vectors(queries: int, keys: int, seed: int = 3):
    generator = torch.Generator().manual_seed(seed)

    def draw(length: int, width: int) -> torch.Tensor:
        return torch.randn(BATCH, HEADS, length, width, generator=generator)

    return draw(queries, KEY_WIDTH), draw(keys, KEY_WIDTH), draw(keys, VALUE_WIDTH)


def padding(length: int, short: int) -> torch.Tensor:
    return torch.arange(length) < torch.tensor([length, short]).unsqueeze(1)


@pytest.mark.parametrize(
    "visibility",
    [
        Visibility(),
        Visibility(causal=True),
        Visibility(keys=padding(11, 4)),
        Visibility(padding(11, 4), causal=True),
        Visibility(window=3),
        Visibility(causal=True, window=3),
    ],
    ids=["all", "causal", "padded", "padded and causal", "window", "causal window"],
)
def test_fused_path_equals_explicit_path(visibility):
    query, keys, values = vectors(11, 11)
    expected = explicit(query, keys, values, visibility).context
    assert torch.allclose(fused(query, keys, values, visibility), expected, atol=1e-5)


@pytest.mark.parametrize("window", [None, 1, 3])
@pytest.mark.parametrize("causal", [False, True])
def test_fused_path_equals_explicit_path_for_the_last_queries_alone(causal, window):
    query, keys, values = vectors(2, 17)
    visibility = Visibility(causal=causal, window=window)
    expected = explicit(query, keys, values, visibility).context
    assert torch.allclose(fused(query, keys, values, visibility), expected, atol=1e-5)


def test_a_narrow_window_is_computed_by_blocks_without_padding_too():
    query, keys, values = vectors(29, 29)
    for causal in (False, True):
        visibility = Visibility(causal=causal, window=2)
        expected = explicit(query, keys, values, visibility).context
        assert torch.allclose(windowed(query, keys, values, visibility, 2), expected, atol=1e-5)


@pytest.mark.parametrize(
    "attend", [fused, lambda *tensors, **rest: windowed(*tensors, 2, **rest)], ids=["fused", "blocks"]
)
def test_without_dropout_two_passes_are_equal_and_with_it_they_are_not(attend):
    tensors, visibility = vectors(29, 29), Visibility(causal=True, window=2)
    torch.manual_seed(1)
    assert torch.equal(attend(*tensors, visibility), attend(*tensors, visibility))
    assert not torch.equal(attend(*tensors, visibility, dropout=0.5), attend(*tensors, visibility, dropout=0.5))


@settings(max_examples=60, deadline=None)
@given(length=st.integers(1, 43), window=st.integers(0, 9), causal=st.booleans(), data=st.data())
def test_windowed_blocks_equal_the_masked_matrix(length, window, causal, data):
    short = data.draw(st.integers(1, length))
    visibility = Visibility(keys=padding(length, short), causal=causal, window=window)
    query, keys, values = vectors(length, length)
    expected = explicit(query, keys, values, visibility).context
    assert torch.allclose(windowed(query, keys, values, visibility, window), expected, atol=1e-5)
    assert torch.allclose(fused(query, keys, values, visibility), expected, atol=1e-5)


def test_windowed_gradients_equal_the_masked_matrix():
    visibility = Visibility(causal=True, window=3)
    tensors = [tensor.requires_grad_() for tensor in vectors(23, 23)]
    expected = torch.autograd.grad(explicit(*tensors, visibility).context.square().sum(), tensors)
    found = torch.autograd.grad(windowed(*tensors, visibility, 3).square().sum(), tensors)
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(expected, found, strict=True))


def test_a_query_that_may_see_nothing_takes_nothing():
    visibility = Visibility(keys=torch.tensor([[True, True, True], [False, False, False]]))
    query, keys, values = vectors(2, 3)
    context, weights = explicit(query, keys, values, visibility)
    assert (context[1] == 0).all()
    assert (weights[1] == 0).all()
    assert weights[0].sum(-1).allclose(torch.ones(HEADS, 2))


def test_dropout_leaves_the_recorded_weights_whole():
    query, keys, values = vectors(5, 11)
    torch.manual_seed(1)
    attended = explicit(query, keys, values, Visibility(), dropout=0.5)
    assert attended.weights.sum(-1).allclose(torch.ones(BATCH, HEADS, 5))
    assert not torch.allclose(attended.context, attended.weights @ values)
