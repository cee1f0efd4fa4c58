import pytest
import torch

from saccade.attention.recording import recording
from saccade.attention.scores import Dot, Location
from saccade.attention.window import WindowAttention

BATCH, WIDTH, WINDOW = 2, 5, 3


def test_a_query_takes_of_the_last_positions_in_proportion_to_the_exponential_of_their_scores(generator):
    count = 7
    keys = torch.randn(BATCH, count, WIDTH, generator=generator)
    values = torch.randn(BATCH, count, 2, generator=generator)
    queries = torch.randn(BATCH, count, WIDTH, generator=generator)
    taken = WindowAttention(Dot(), WINDOW)(queries, keys, values, torch.zeros(BATCH, dtype=torch.int64))
    for row in range(BATCH):
        assert taken[row, 0].tolist() == [0.0, 0.0]
        for t in range(1, count):
            seen = slice(max(0, t - WINDOW), t)
            shares = (keys[row, seen] @ queries[row, t]).softmax(0)
            torch.testing.assert_close(taken[row, t], shares @ values[row, seen])


@pytest.mark.parametrize("known", [0, 1, 3])
def test_of_the_past_only_what_is_known_is_seen(generator, known):
    keys = torch.randn(BATCH, WINDOW + 1, WIDTH, generator=generator)
    query, attention = keys[:, -1:], WindowAttention(Dot(), WINDOW)
    with recording(attention) as record:
        attention(query, keys, keys, torch.tensor([known, 2]))
    weights = record[""][0]
    assert weights.shape == (BATCH, 1, 1, WINDOW + 1)
    assert (weights[0, 0, 0] > 0).tolist() == [place >= WINDOW - known for place in range(WINDOW)] + [False]
    assert (weights[1, 0, 0] > 0).tolist() == [False, True, True, False]


def test_a_location_is_counted_from_the_oldest_position_of_the_window(generator):
    score = Location(WIDTH, WINDOW)
    states = torch.randn(1, 11, WIDTH, generator=generator)
    attention = WindowAttention(score, WINDOW)
    with recording(attention) as record, torch.no_grad():
        attention(states, states, states, torch.tensor([0]))
        expected = score.query(states[0, 6]).softmax(0)
    torch.testing.assert_close(record[""][0][0, 0, 6, 3:6], expected)
