import pytest
import torch

from saccade.claims.attention.a45_where_keys_come_from import moved


def test_how_far_a_vector_moves_is_a_share_of_its_length():
    before = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    assert moved(before, before) == 0
    assert moved(before, before + torch.tensor([[0.0, 1.0], [0.0, 0.0]])) == pytest.approx(1 / 5)
