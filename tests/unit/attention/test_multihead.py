import pytest
import torch

from saccade.attention.multihead import MultiHeadAttention


@pytest.mark.parametrize("bias", [False, True])
def test_stacked_projections_compute_the_same_and_keep_their_names(bias):
    torch.manual_seed(1)
    attention = MultiHeadAttention(12, 3, 4, 5, bias=bias)
    states, before = torch.randn(2, 4, 12), {name: value.clone() for name, value in attention.state_dict().items()}
    queries, memory = attention.project(states)
    attention.stack_projections()
    stacked_queries, stacked_memory = attention.project(states)
    assert torch.equal(stacked_queries, queries)
    assert torch.equal(stacked_memory.keys, memory.keys)
    assert torch.equal(stacked_memory.values, memory.values)
    for name, value in attention.state_dict().items():
        assert torch.equal(value, before[name])
