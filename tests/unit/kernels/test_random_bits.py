import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

import triton
import triton.language as tl

from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

PROBABILITIES = (0.1, 0.3, 0.5, 0.9)
SEEDS = [(0, 0), (0, 1), (1, 0), (17, 2**32 - 1), (2**31, 2**31 + 1), (0xDEADBEEF, 0x12345678)]


@triton.jit
def _toss(seed, numbers, result, count, threshold, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    some = tl.load(numbers + places, mask=places < count, other=0)
    tl.store(result + places, is_kept(seed, some, threshold).to(tl.int8), mask=places < count)


def tossed(seed, numbers, probability):
    result = torch.empty(len(numbers), dtype=torch.int8, device=numbers.device)
    block = triton.next_power_of_2(len(numbers))
    _toss[(1,)](seed, numbers, result, len(numbers), threshold_of(probability), BLOCK=block)
    return result.bool()


@pytest.fixture
def many(device):
    return torch.arange(100_003, device=device)


@given(
    halves=st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)),
    first=st.integers(0, 2**33),
    probability=st.sampled_from(PROBABILITIES),
)
@settings(max_examples=12, deadline=None)
def test_the_program_decides_as_plain_torch_does(device, halves, first, probability):
    seed = torch.tensor(halves, device=device)
    numbers = torch.arange(first, first + 211, device=device)
    assert torch.equal(tossed(seed, numbers, probability), keep_mask(seed, numbers, probability))


@pytest.mark.parametrize("halves", SEEDS)
@pytest.mark.parametrize("probability", PROBABILITIES)
def test_as_many_are_dropped_as_the_probability_says(device, many, halves, probability):
    dropped = ~keep_mask(torch.tensor(halves, device=device), many, probability)
    spread = (probability * (1 - probability) / len(many)) ** 0.5
    assert abs(dropped.double().mean().item() - probability) < 4 * spread


@pytest.mark.parametrize("distance", [1, 2, 512, 4096, 65536])
def test_neighbours_and_rows_decide_independently(device, many, distance):
    seed = torch.tensor([3, 5], device=device)
    both = ~keep_mask(seed, many, 0.3) & ~keep_mask(seed, many + distance, 0.3)
    spread = (0.09 * 0.91 / len(many)) ** 0.5
    assert abs(both.double().mean().item() - 0.09) < 4 * spread


@pytest.mark.parametrize("other", [(4, 5), (3, 6), (5, 3)])
def test_seeds_that_differ_in_either_half_decide_independently(device, many, other):
    one, two = (~keep_mask(torch.tensor(seed, device=device), many, 0.3) for seed in ((3, 5), other))
    spread = (0.09 * 0.91 / len(many)) ** 0.5
    assert abs((one & two).double().mean().item() - 0.09) < 4 * spread


def test_a_higher_probability_drops_the_same_elements_and_more(device, many):
    seed = torch.tensor([3, 5], device=device)
    assert not (keep_mask(seed, many, 0.5) & ~keep_mask(seed, many, 0.3)).any()


def test_nothing_is_dropped_at_zero_and_the_threshold_fits_32_bits_at_one(device, many):
    assert keep_mask(torch.tensor([3, 5], device=device), many, 0.0).all()
    assert threshold_of(1.0) == 2**32 - 1


def test_seeding_torch_seeds_the_coin(device):
    def seeds():
        return [draw_seed(device).tolist() for _ in range(2)]

    torch.manual_seed(7)
    one = seeds()
    torch.manual_seed(7)
    assert seeds() == one
    torch.manual_seed(8)
    assert seeds() != one
    assert one[0] != one[1]
    assert all(0 <= half < 2**32 for seed in one for half in seed)
