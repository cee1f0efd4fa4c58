"""A score, an alignment and a weighted sum; whoever records sees the weights."""

import torch

from saccade.attention.alignment import Soft
from saccade.attention.recording import recording, watched
from saccade.attention.scores import Additive, Concat, Indifferent
from saccade.attention.single_query import Attention, PreparedKeysValues

BATCH, QUERY, KEY, QUERY_WIDTH, KEY_WIDTH, VALUE_WIDTH = 2, 3, 5, 7, 11, 13
REAL = torch.arange(KEY) < torch.tensor([[5], [2]])
POSITIONS = torch.arange(QUERY).unsqueeze(0)


def inputs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(3)
    shapes = (BATCH, QUERY, QUERY_WIDTH), (BATCH, KEY, KEY_WIDTH), (BATCH, KEY, VALUE_WIDTH)
    return tuple(torch.randn(shape, dtype=torch.float64) for shape in shapes)


@torch.no_grad()
def test_a_context_is_the_sum_of_values_weighted_by_the_alignment_of_scores():
    queries, keys, values = inputs()
    attention = Attention(Concat(QUERY_WIDTH, KEY_WIDTH, 17), Soft()).double()
    contexts = attention(queries, attention.prepare(keys, values, REAL), POSITIONS)
    scores = attention.score(queries, attention.score.prepare(keys))
    for row, length in enumerate((5, 2)):
        for query in range(QUERY):
            weights = scores[row, query, :length].softmax(0)
            expected = sum(weights[key] * values[row, key] for key in range(length))
            torch.testing.assert_close(contexts[row, query], expected)


@torch.no_grad()
def test_what_can_be_seen_is_prepared_once_and_follows_a_selection_of_rows():
    queries, keys, values = inputs()
    attention = Attention(Additive(QUERY_WIDTH, KEY_WIDTH, 17), Soft()).double()
    attention.score.vector.normal_()
    source = attention.prepare(keys, values, REAL)
    assert source.keys.shape == (BATCH, KEY, 17)
    rows = torch.tensor([1, 1, 0])
    expected = attention(queries, source, POSITIONS)[rows]
    torch.testing.assert_close(attention(queries[rows], source.select(rows), POSITIONS), expected)


@torch.no_grad()
def test_weights_go_to_whoever_records_as_those_of_one_head():
    queries, keys, values = inputs()
    attention = Attention(Indifferent(), Soft())
    holder = torch.nn.ModuleDict({"look": attention})
    source = attention.prepare(keys, values, REAL)
    unseen = attention(queries, source, POSITIONS)
    with recording(holder) as record:
        assert watched(attention)
        seen = attention(queries, source, POSITIONS)
    assert not watched(attention)
    assert torch.equal(seen, unseen)
    assert [weights.shape for weights in record["look"]] == [(BATCH, 1, QUERY, KEY)]
    torch.testing.assert_close(record["look"][0] @ values.unsqueeze(1), seen.unsqueeze(1))


def test_nobody_is_watched_because_somebody_else_is():
    ours, theirs = Attention(Indifferent(), Soft()), Attention(Indifferent(), Soft())
    with recording(theirs):
        assert watched(theirs)
        assert not watched(ours)


def test_a_sight_is_three_tensors_by_row():
    source = PreparedKeysValues(torch.zeros(2, 3, 5), torch.zeros(2, 3, 7), torch.ones(2, 3, dtype=torch.bool))
    assert [tensor.shape for tensor in source.tensors()] == [(2, 3, 5), (2, 3, 7), (2, 3)]
