"""Products of bytes by the library are those of the readable version, to the last whole number."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels import cpu_library, int8_available
from saccade.kernels.int8_product import quantise, reference
from saccade.kernels.transformer_cpu import Layer, Parameters, Stack, source_keys_values
from saccade.serving.quantization import SCALES, pack, unpack


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()
    if not int8_available():
        pytest.skip("this CPU has no instructions for products of bytes")


def by_library(states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """The keys and values of a decoder's source are a product and nothing else."""
    parameters = Parameters(int8=True)
    layers = (Layer * 1)()
    layers[0].source = parameters.matrix(weight, bias)
    heads = {"heads": 1, "key_width": len(weight), "value_width": 0}
    stack = Stack(layers=layers, layer_count=1, width=states.shape[1], **heads)
    return source_keys_values(stack, states.unsqueeze(0), torch.tensor([len(states)]))[0, 0]


# With 64 places and more rows some CPUs multiply whole tiles.
shapes = given(
    rows=st.integers(1, 13) | st.integers(14, 70),
    inner=st.integers(1, 40) | st.sampled_from([64, 128, 192]),
    outer=st.integers(1, 40),
    bias=st.booleans(),
    seed=st.integers(0, 999),
)


@settings(max_examples=30, deadline=None)
@shapes
def test_whole_numbers_are_multiplied_exactly(rows, inner, outer, bias, seed):
    generator = torch.Generator().manual_seed(seed)
    states, weight = (torch.randint(-127, 128, (n, inner), generator=generator).float() for n in (rows, outer))
    states[:, 0] = weight[:, 0] = 127.0  # so that a level stands for one
    added = torch.randint(-9, 9, (outer,), generator=generator).float() if bias else None
    expected = states @ weight.T + (0 if added is None else added)
    assert torch.equal(by_library(states, weight, added), expected)
    assert torch.equal(reference(states, weight, added), expected)


@settings(max_examples=30, deadline=None)
@shapes
def test_levels_and_scales_are_those_of_the_readable_product(rows, inner, outer, bias, seed):
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(rows, inner, generator=generator) * torch.logspace(-9, 9, rows).unsqueeze(1)
    weight = torch.randn(outer, inner, generator=generator)
    added = torch.randn(outer, generator=generator) if bias else None
    found, expected = by_library(states, weight, added), reference(states, weight, added)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6 if bias else 0)


@pytest.mark.parametrize("inner", [64, 128])
def test_a_row_has_the_same_bits_among_any_number_of_others(inner):
    generator = torch.Generator().manual_seed(inner)
    states, weight = (torch.randn(n, inner, generator=generator) for n in (67, 53))
    whole, added = by_library(states, weight, weight[:, 0]), weight[:, 0]
    for rows in (1, 5, 6, 15, 16, 17, 31, 32, 33, 48, 49, 66):
        assert torch.equal(by_library(states[:rows], weight, added), whole[:rows])
        assert torch.equal(by_library(states[-rows:], weight, added), whole[-rows:])


def test_products_are_close_to_those_of_floats():
    generator = torch.Generator().manual_seed(3)
    states, weight = (torch.randn(n, 257, generator=generator) for n in (31, 47))
    exact, found = states @ weight.T, by_library(states, weight, None)
    assert (found - exact).std() < 0.02 * exact.std()


def test_a_row_of_zeros_gives_zeros_and_one_that_is_not_finite_gives_no_numbers():
    states, weight = torch.ones(4, 11), torch.ones(5, 11)
    states[1], states[2, 7], states[3, 4] = 0.0, torch.nan, -torch.inf
    found = by_library(states, weight, None)
    torch.testing.assert_close(found[0], torch.full((5,), 11.0))
    assert torch.equal(found[1], torch.zeros(5))
    assert found[2:].isnan().all()
    torch.testing.assert_close(found, reference(states, weight, None), equal_nan=True)


def test_weights_that_are_stored_as_bytes_have_these_levels_again(generator):
    weight = torch.randn(300, 41, generator=generator) * torch.rand(300, 1, generator=generator)
    stored = pack({"weight": weight}, "int8")
    levels, scales = quantise(unpack(stored)["weight"])
    assert torch.equal(levels, stored["weight"])
    torch.testing.assert_close(scales, stored["weight" + SCALES], rtol=1e-6, atol=0)
