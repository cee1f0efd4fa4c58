import pytest
import torch

from saccade.errors import InputError
from saccade.layers.position import FixedPositions, LearnedPositions, sinusoids, tensor2tensor_sinusoids


def test_positions_go_on_where_a_cache_ends():
    positions = FixedPositions(sinusoids(13, 6))
    assert torch.equal(positions(0, 13)[5:8], positions(5, 3))


@pytest.mark.parametrize(
    "positions", [FixedPositions(sinusoids(7, 4)), LearnedPositions(7, 4)], ids=["fixed", "learned"]
)
def test_a_sequence_longer_than_the_table_is_refused(positions):
    assert positions(3, 4).shape == (4, 4)
    with pytest.raises(InputError, match="at most 7 tokens.*but has 8"):
        positions(4, 4)


def test_a_table_that_is_computed_is_not_saved_and_one_that_is_learned_is():
    assert list(FixedPositions(sinusoids(7, 4)).state_dict()) == []
    assert list(LearnedPositions(7, 4).state_dict()) == ["table"]


@pytest.mark.parametrize("table", [sinusoids, tensor2tensor_sinusoids])
def test_an_odd_width_is_filled(table):
    assert table(3, 5).shape == (3, 5)


def test_far_positions_keep_their_digits():
    exact = torch.arange(100_000, 100_003, dtype=torch.float64).sin()
    assert torch.allclose(sinusoids(100_003, 2)[-3:, 0].double(), exact, atol=1e-6)
