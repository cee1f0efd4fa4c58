"""Turning rows around within their own length."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.layers.reversal import flipped, last, words_reversed
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

ROWS = st.lists(st.lists(st.integers(4, 30), max_size=7).map(lambda words: [*words, EOS]), min_size=1, max_size=5)


@given(rows=ROWS)
def test_words_are_reversed_and_the_end_stays_the_end(rows):
    sequences = Sequences.of(rows)
    turned = words_reversed(sequences)
    assert torch.equal(turned.tokens, Sequences.of([[*reversed(row[:-1]), EOS] for row in rows]).tokens)
    assert torch.equal(turned.lengths, sequences.lengths)
    assert torch.equal(words_reversed(turned).tokens, sequences.tokens)


@given(rows=ROWS)
def test_states_of_every_row_are_flipped_within_its_length(rows):
    sequences = Sequences.of(rows)
    states = torch.arange(sequences.tokens.numel() * 3).view(*sequences.tokens.shape, 3).double()
    turned = flipped(states, sequences.lengths)
    for row, length in enumerate(sequences.lengths.tolist()):
        assert torch.equal(turned[row, :length], states[row, :length].flip(0))
        assert torch.equal(turned[row, length:], states[row, length:])


@given(rows=ROWS)
def test_the_last_state_of_every_row_is_that_of_its_own_last_position(rows):
    sequences = Sequences.of(rows)
    states = torch.arange(sequences.tokens.numel() * 3).view(*sequences.tokens.shape, 3).double()
    ends = last(states, sequences.lengths)
    for row, length in enumerate(sequences.lengths.tolist()):
        assert torch.equal(ends[row], states[row, length - 1])
