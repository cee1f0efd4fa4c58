"""Lengths of small computations whose answers are known by counting."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from saccade.comparison.path_lengths import PathTracker


def traced(computation, sequence, first=0):
    """Hops from position `first` of a sequence [length, width] to the result, and the longest chain."""
    with torch.no_grad(), PathTracker() as tracing:
        for place in range(sequence.shape[1]):
            tracing.mark(sequence, first, place)
        result = computation(sequence)
    return tracing.path_length(result), tracing.chain(result)


def numbers(length, width=3):
    return torch.randn(length, width, dtype=torch.float64, generator=torch.Generator().manual_seed(length))


def test_moving_adding_and_scaling_are_free():
    assert traced(lambda x: (x.flip(0).T.reshape(-1) + 1)[2:] * 0.5 - x.sum(), numbers(5)) == (0, 0)


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid, torch.exp, lambda x: x.softmax(-1), lambda x: x * x])
def test_a_function_that_is_not_linear_is_one_operation(function):
    assert traced(function, numbers(5)) == (1, 1)


def test_a_matrix_product_is_one_operation():
    weight = numbers(3, 7)
    assert traced(lambda x: x @ weight, numbers(5)) == (1, 1)


def test_what_does_not_depend_on_the_marked_number_has_no_path():
    hops, chain = traced(lambda x: torch.tanh(x[1:]), numbers(5))
    assert hops is None
    assert chain == 1


def test_the_shortest_of_several_paths_counts_and_the_longest_chain():
    assert traced(lambda x: torch.tanh(torch.tanh(torch.tanh(x))) + torch.tanh(x), numbers(5)) == (1, 3)


def test_a_way_around_every_function_is_free():
    assert traced(lambda x: x + torch.tanh(torch.tanh(x)), numbers(5)) == (0, 2)


@settings(max_examples=5, deadline=None)
@given(length=st.integers(2, 13))
def test_a_recurrence_takes_a_product_and_a_function_for_each_position(length):
    inner, outer = numbers(3, 3) / 3, numbers(3, 3) / 3  # small, so that nothing saturates

    def recurrence(x):
        state = torch.zeros(3, dtype=torch.float64)
        for row in x @ outer:
            state = torch.tanh(row + inner @ state)
        return state

    assert traced(recurrence, numbers(length)) == (2 * length, 2 * length)


@settings(max_examples=5, deadline=None)
@given(length=st.integers(2, 13))
def test_attention_reaches_every_position_at_once(length):
    def attention(x):
        return (x @ x.T).softmax(-1)[-1] @ x

    assert traced(attention, numbers(length)) == (1, 3)


def test_a_weight_that_a_mask_made_zero_lets_nothing_through():
    def causal(x):
        may_see = torch.ones(len(x), len(x), dtype=torch.bool).tril()
        return ((x @ x.T).masked_fill(~may_see, -torch.inf).softmax(-1) @ x)[1]

    assert traced(causal, numbers(5), first=2)[0] is None
    assert traced(causal, numbers(5), first=1)[0] == 1


def test_writing_in_place_is_followed_where_it_is_written():
    with torch.no_grad(), PathTracker() as tracing:
        x = numbers(5)
        tracing.mark(x, 0, 0)
        page = torch.zeros(4, 3, dtype=torch.float64)
        page[1] = torch.tanh(x[0])
        page[2] = torch.tanh(torch.tanh(x[0]))
        page[2].zero_()
        page[3].add_(page[1]).sigmoid_()
        rows = [page[row] for row in range(4)]
    assert [tracing.path_length(row) for row in rows] == [None, 1, None, 2]


def test_gates_that_share_memory_do_not_wait_for_each_other():
    def gates(x):
        first, second, third = x.clone().chunk(3, dim=1)
        return first.sigmoid_() + second.sigmoid_() + third.tanh_()

    assert traced(gates, numbers(5))[1] == 1


def test_convolutions_reach_no_further_than_their_kernels():
    kernel = torch.randn(3, 3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))

    def two_layers(x):
        rows = x.T.unsqueeze(0)
        for _ in range(2):
            rows = nn.functional.conv1d(nn.functional.pad(rows, (2, 0)), kernel)
        return rows[0, :, -1]

    assert [traced(two_layers, numbers(length))[0] for length in (4, 5, 6)] == [2, 2, None]


@pytest.mark.parametrize(("kind", "each"), [("RNN", 2), ("LSTM", 1), ("GRU", 1)])
def test_torch_s_own_recurrent_layers_are_seen_through(kind, each):
    torch.manual_seed(3)
    layer = getattr(nn, kind)(3, 5, batch_first=True).double()
    hops = [traced(lambda x: layer(x.unsqueeze(0))[0][0, -1], numbers(length))[0] for length in (4, 7)]
    assert hops[1] - hops[0] == 3 * each


def test_a_token_acts_through_its_embedding():
    table = numbers(12, 3)
    tokens = torch.tensor([4, 7, 9])
    with torch.no_grad(), PathTracker() as tracing:
        tracing.mark(tokens, 0)
        vectors = nn.functional.embedding(tokens, table)
        outputs = torch.tanh(vectors[0]), torch.tanh(vectors[1])
    assert [tracing.path_length(output) for output in outputs] == [1, None]
