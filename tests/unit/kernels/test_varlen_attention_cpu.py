import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.attend import explicit, fused
from saccade.attention.masks import QueryKeyPacking, Visibility
from saccade.attention.packed_cpu_fast import packed_attention_fast
from saccade.dropout import dropout_mask
from saccade.kernels import cpu_library
from saccade.sequences import Packing

HEADS = 3


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()


def packing(lengths, empty=0):
    sizes = torch.tensor(lengths)
    sentence = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    offsets = torch.nn.functional.pad(sizes.cumsum(0), (1, 0))
    return Packing(offsets, torch.nn.functional.pad(sentence, (0, empty), value=-1).unsqueeze(0))


def attention(tensors, queries, keys, causal=False, window=None, dropout=0.0):
    batch = [tensor.unsqueeze(0) for tensor in tensors]
    return packed_attention_fast(*batch, (queries, keys), causal, window, dropout)[0]


def vectors(queries, keys, key_width=5, value_width=7):
    generator = torch.Generator().manual_seed(3)

    def draw(side, width):
        return torch.randn(HEADS, side.sentence.shape[1], width, generator=generator).requires_grad_()

    return draw(queries, key_width), draw(keys, key_width), draw(keys, value_width)


def values_and_gradients(context, tensors):
    pull = torch.randn(context.shape, generator=torch.Generator().manual_seed(4)).to(context.dtype)
    return [context.detach(), *torch.autograd.grad(context, tensors, pull)]


def expected(tensors, visibility):
    doubles = [tensor.detach().double().requires_grad_() for tensor in tensors]
    context = explicit(*(tensor.unsqueeze(0) for tensor in doubles), visibility).context[0]
    return values_and_gradients(context, doubles)


# A sentence may lack its queries or its keys, and rows of weights are filled up to 16.
PAIRS = st.lists(st.tuples(st.integers(0, 35), st.integers(0, 35)), min_size=1, max_size=5).filter(
    lambda pairs: all(sum(side) for side in zip(*pairs, strict=True))
)


@pytest.mark.usefixtures("poison")
@settings(max_examples=60, deadline=None)
@given(
    pairs=PAIRS,
    empty=st.integers(0, 3),
    key_width=st.integers(1, 33),
    value_width=st.integers(1, 33),
)
def test_attention_over_the_source_is_the_equation(assert_near, pairs, empty, key_width, value_width):
    target, source = packing([a for a, _ in pairs], empty), packing([b for _, b in pairs], 3 - empty)
    tensors = vectors(target, source, key_width, value_width)
    found = attention(tensors, target, source)
    visibility = Visibility(packing=QueryKeyPacking(target, source))
    assert_near(values_and_gradients(found, tensors), expected(tensors, visibility), 1e-5)


@pytest.mark.usefixtures("poison")
@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 35), min_size=1, max_size=5),
    empty=st.integers(0, 3),
    causal=st.booleans(),
    window=st.none() | st.integers(0, 20),
)
def test_self_attention_is_the_equation(assert_near, lengths, empty, causal, window):
    side = packing(lengths, empty)
    tensors = vectors(side, side)
    found = attention(tensors, side, side, causal, window)
    visibility = Visibility(causal=causal, window=window, packing=QueryKeyPacking(side, side))
    assert_near(values_and_gradients(found, tensors), expected(tensors, visibility), 1e-5)


@pytest.mark.parametrize(("queries", "keys"), [(40, 3), (3, 40)])
def test_a_query_far_from_all_keys_takes_nothing(queries, keys):
    target, source = packing([queries]), packing([keys])
    found = attention(vectors(target, source), target, source, window=2)
    seen = torch.arange(queries) - 2 < keys
    assert found[:, ~seen].abs().sum() == 0
    assert (found[:, seen] != 0).all()


def test_dropped_weights_are_those_of_the_mask(assert_near):
    """Sentences of 16 keys fill their rows of weights, so that the mask is a plain matrix for each."""
    side = packing([16, 16])
    tensors = vectors(side, side)
    torch.manual_seed(5)
    found = attention(tensors, side, side, dropout=0.4)
    torch.manual_seed(5)
    mask, factor = dropout_mask(torch.empty(2, HEADS, 16, 16), 0.4)
    query, keys, values = (tensor.unflatten(1, (2, 16)).transpose(0, 1) for tensor in tensors)
    weights = (query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(-1) * mask * factor
    equation = (weights @ values).transpose(0, 1).flatten(1, 2)
    assert_near(values_and_gradients(found, tensors), values_and_gradients(equation, tensors), 1e-5)
    assert 0.3 < (mask == 0).float().mean() < 0.5


def test_large_scores_do_not_overflow():
    side = packing([4])
    tensors = [100 * tensor.detach() for tensor in vectors(side, side)]
    found = attention(tensors, side, side)
    visibility = Visibility(packing=QueryKeyPacking(side, side))
    assert torch.allclose(found, explicit(*(one.unsqueeze(0) for one in tensors), visibility).context[0], rtol=1e-5)


def test_the_number_of_threads_changes_no_bit():
    side = packing([40, 3, 60, 17] * 9)
    tensors = vectors(side, side, 32, 32)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            context = attention(tensors, side, side, causal=True)
            found.append(values_and_gradients(context, tensors))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_it_is_what_packed_batches_in_float32_are_computed_with(monkeypatch):
    side = packing([4, 7, 2])
    tensors = vectors(side, side)
    batch, visibility = [one.unsqueeze(0) for one in tensors], Visibility(packing=QueryKeyPacking(side, side))
    compiled = fused(*batch, visibility)
    assert torch.equal(compiled[0], attention(tensors, side, side))
    monkeypatch.setattr(cpu_library, "load", lambda: None)
    assert torch.allclose(fused(*batch, visibility), compiled, atol=1e-6)
