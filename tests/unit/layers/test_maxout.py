import pytest
import torch

from saccade.layers.maxout import MaxoutOutput, largest_of_pairs


def test_a_unit_is_the_larger_of_two_neighbours():
    assert largest_of_pairs(torch.tensor([[1.0, -2.0, 3.0, 5.0, -7.0, -4.0]])).tolist() == [[1.0, 5.0, -4.0]]


@torch.no_grad()
def test_state_word_and_context_are_added_before_the_choice():
    layer = MaxoutOutput(3, 5, 7, 11, deviation=0.7).double()
    layer.state.bias.normal_()
    state, word, context = (torch.randn(2, 13, width, dtype=torch.float64) for width in (3, 5, 7))
    units = layer(state, word, context)
    u, b, v, c = layer.state.weight, layer.state.bias, layer.word.weight, layer.context.weight
    for row, position, unit in ((0, 0, 0), (1, 12, 10), (0, 7, 4)):
        both = [
            u[place] @ state[row, position]
            + b[place]
            + v[place] @ word[row, position]
            + c[place] @ context[row, position]
            for place in (2 * unit, 2 * unit + 1)
        ]
        assert units[row, position, unit].item() == pytest.approx(max(each.item() for each in both))


@torch.no_grad()
def test_one_context_may_serve_all_positions():
    layer = MaxoutOutput(3, 5, 7, 11, deviation=0.7).double()
    state, word = (torch.randn(2, 13, width, dtype=torch.float64) for width in (3, 5))
    context = torch.randn(2, 1, 7, dtype=torch.float64)
    torch.testing.assert_close(layer(state, word, context), layer(state, word, context.expand(-1, 13, -1)))


def test_it_starts_as_small_noise_and_without_a_bias():
    torch.manual_seed(3)
    layer = MaxoutOutput(101, 103, 107, 109, deviation=0.03)
    for part in (layer.state, layer.word, layer.context):
        assert part.weight.std().item() == pytest.approx(0.03, rel=0.05)
    assert not layer.state.bias.any()
