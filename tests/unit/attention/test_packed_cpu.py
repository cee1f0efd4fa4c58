import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.attend import explicit, fused
from saccade.attention.masks import QueryKeyPacking, Visibility
from saccade.attention.packed_cpu import group_sentences, packed_attention
from saccade.sequences import Packing

HEADS, KEY_WIDTH, VALUE_WIDTH = 3, 5, 7

lengths = st.lists(st.integers(1, 13), min_size=1, max_size=9)


def packing(lengths, empty: int = 0, missing: int = 0) -> Packing:
    """Sentences of these lengths, then empty slots; `missing` places for sentences that are not there."""
    sizes = torch.tensor([*lengths, *[0] * missing])
    offsets = torch.nn.functional.pad(sizes.cumsum(0), (1, 0))
    sentence = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    return Packing(offsets, torch.nn.functional.pad(sentence, (0, empty), value=-1).unsqueeze(0))


def vectors(queries: Packing, keys: Packing, dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)

    def draw(side: Packing, width: int) -> torch.Tensor:
        drawn = torch.randn(1, HEADS, side.sentence.shape[1], width, generator=generator, dtype=torch.float64)
        return drawn.to(dtype).requires_grad_()

    return draw(queries, KEY_WIDTH), draw(keys, KEY_WIDTH), draw(keys, VALUE_WIDTH)


# All is computed in float32; in bfloat16 only the result is rounded, to 8 bits.
NEAR = {torch.float32: 1e-5, torch.bfloat16: 2**-8}
TYPES = st.sampled_from(list(NEAR))


def assert_same(found, tensors, visibility):
    near = NEAR[found.dtype]
    doubles = [tensor.detach().double().requires_grad_() for tensor in tensors]
    expected = explicit(*doubles, visibility).context
    assert torch.allclose(found.double(), expected, rtol=near, atol=1e-5)
    pull = torch.randn(expected.shape, generator=torch.Generator().manual_seed(4)).to(found.dtype)
    expected_gradients = torch.autograd.grad(expected, doubles, pull.double())
    for a, b in zip(torch.autograd.grad(found, tensors, pull), expected_gradients, strict=True):
        assert torch.allclose(a.double(), b, rtol=near, atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    lengths=lengths,
    empty=st.integers(0, 3),
    causal=st.booleans(),
    window=st.none() | st.integers(0, 4),
    small=st.sampled_from([1, 8, 64]),
    dtype=TYPES,
)
def test_self_attention_equals_the_equation(lengths, empty, causal, window, small, dtype):
    side = packing(lengths, empty, missing=2)
    tensors = vectors(side, side, dtype)
    found = packed_attention(*tensors, group_sentences(side, side, causal, window, small), 0.0)
    assert_same(found, tensors, Visibility(causal=causal, window=window, packing=QueryKeyPacking(side, side)))


@settings(max_examples=40, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(1, 13), st.integers(1, 13)), min_size=1, max_size=9),
    empty=st.integers(0, 3),
    small=st.sampled_from([1, 64]),
    dtype=TYPES,
)
def test_attention_over_the_source_equals_the_equation(pairs, empty, small, dtype):
    target, source = packing([a for a, _ in pairs], empty), packing([b for _, b in pairs], 3 - empty)
    tensors = vectors(target, source, dtype)
    found = packed_attention(*tensors, group_sentences(target, source, False, None, small), 0.0)
    assert_same(found, tensors, Visibility(packing=QueryKeyPacking(target, source)))


@pytest.mark.slow
@pytest.mark.parametrize("small", [1, 16])
def test_gradients_by_finite_differences_with_dropout(small):
    side = packing([3, 2, 5])
    tensors = vectors(side, side, torch.float64)
    groups = group_sentences(side, side, True, None, small)

    def same_each_time(*tensors):
        torch.manual_seed(7)
        return packed_attention(*tensors, groups, 0.4)

    assert torch.autograd.gradcheck(same_each_time, tensors)


@pytest.mark.slow
def test_dropout_keeps_the_expectation():
    side = packing([5, 3])
    tensors = [tensor.detach() for tensor in vectors(side, side)]
    groups = group_sentences(side, side, False, None)
    torch.manual_seed(11)
    mean = torch.stack([packed_attention(*tensors, groups, 0.3) for _ in range(3000)]).mean(0)
    assert torch.allclose(mean, packed_attention(*tensors, groups, 0.0), atol=0.08)


def test_dropout_is_repeated_under_the_same_seed():
    side = packing([5, 3])
    tensors = vectors(side, side)
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(packed_attention(*tensors, group_sentences(side, side, False, None), 0.3))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_projections_that_lie_side_by_side_in_memory_are_read_where_they_are():
    side = packing([4, 7, 2])
    joined = torch.randn(1, 13, 3 * HEADS * KEY_WIDTH, generator=torch.Generator().manual_seed(6)).requires_grad_()
    parts = [part.unflatten(2, (HEADS, KEY_WIDTH)).transpose(1, 2) for part in joined.chunk(3, dim=2)]
    visibility = Visibility(causal=True, packing=QueryKeyPacking(side, side))
    found = fused(*parts, visibility)
    expected = explicit(*parts, visibility).context
    assert torch.allclose(found, expected, atol=1e-5)
    (a,), (b,) = (torch.autograd.grad(way.square().sum(), joined, retain_graph=True) for way in (found, expected))
    assert torch.allclose(a, b, atol=1e-5)


def test_sentences_less_than_half_as_long_as_the_longest_form_another_group():
    side = packing([3, 12, 6, 5, 11])
    widths = [group.queries.shape for group in group_sentences(side, side, False, None, small=1).groups]
    assert widths == [(3, 12), (2, 5)]


def test_short_sentences_share_a_row_where_small_products_are_slow():
    side = packing([5, 5, 4, 3, 5])
    (group,) = group_sentences(side, side, False, None, small=16).groups
    assert group.queries.shape == (2, 15)
