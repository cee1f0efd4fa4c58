import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels.beam_attention import beam_attention, reference


def case(sizes, places, widths, seed, device, dtype=torch.float32):
    sentences, heads, size = sizes
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).to(device)

    queries = normal(sentences, size, heads, widths[0]).transpose(1, 2)
    keys, values = normal(sentences, heads, places, widths[0]), normal(sentences, heads, places, widths[1])
    hidden = torch.rand(sentences, size, places, generator=generator) < 0.5
    hidden[:, :, 0] = False
    bias = torch.zeros(sentences, size, places).masked_fill(hidden, -torch.inf).to(dtype).to(device)
    used = torch.randint(1, places + 1, (sentences,), generator=generator).to(device)
    return queries, keys, values, bias, used


@given(
    sizes=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 17)),
    places=st.integers(1, 131),
    widths=st.tuples(st.sampled_from([3, 16, 24, 64]), st.sampled_from([5, 16, 32, 64])),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=25, deadline=None)
def test_the_program_computes_the_equation(device, assert_near, sizes, places, widths, seed):
    queries, keys, values, bias, used = case(sizes, places, widths, seed, device)
    exact = reference(queries.double(), keys.double(), values.double(), bias.double(), used)
    assert_near([beam_attention(queries, keys, values, bias, used)], [exact], 1e-5)


def test_without_a_number_all_places_are_used(device, assert_near):
    queries, keys, values, bias, _ = case((2, 3, 5), 71, (16, 32), 7, device)
    exact = reference(queries.double(), keys.double(), values.double(), bias.double())
    assert_near([beam_attention(queries, keys, values, bias)], [exact], 1e-5)


def test_one_bias_serves_all_hypotheses(device, assert_near):
    queries, keys, values, bias, used = case((2, 3, 5), 71, (16, 16), 8, device)
    one = bias[:, :1]
    expected = beam_attention(queries, keys, values, one.expand_as(bias).contiguous(), used)
    assert_near([beam_attention(queries, keys, values, one, used)], [expected], 0.0)


def test_what_lies_beyond_the_used_places_is_not_read(device):
    queries, keys, values, bias, _ = case((2, 1, 3), 67, (16, 16), 9, device)
    used = torch.tensor([5, 64], device=device)
    before = beam_attention(queries, keys, values, bias, used)
    for sentence, end in enumerate(used.tolist()):
        keys[sentence, :, end:] = torch.nan
        values[sentence, :, end:] = torch.nan
    assert torch.equal(beam_attention(queries, keys, values, bias, used), before)


@pytest.mark.parametrize("size", [1, 4, 17])
def test_what_is_new_is_written_to_the_last_used_places_and_seen_there(device, size):
    queries, keys, values, bias, _ = case((3, 2, size), 71, (16, 24), 11, device)
    used = torch.tensor([size, 71, 23], device=device)
    new = queries.neg(), values[:, :, :size].mul(2).transpose(1, 2).contiguous().transpose(1, 2)
    written = keys.clone(), values.clone()
    for sentence, end in enumerate(used.tolist()):
        bias[sentence, :, end - size : end] = 0.0
        for places, each in zip(written, new, strict=True):
            places[sentence, :, end - size : end] = each[sentence]
    expected = beam_attention(queries, *written, bias, used)
    assert torch.equal(beam_attention(queries, keys, values, bias, used, new), expected)
    assert torch.equal(keys, written[0])
    assert torch.equal(values, written[1])
