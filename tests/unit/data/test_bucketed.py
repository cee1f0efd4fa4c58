"""Batches of few shapes: nothing is lost, nothing is added that counts."""

import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batches import Position, collate
from saccade.data.bucketed import BucketedBatches, bucket
from saccade.data.token_store import TokenStore

LENGTHS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60)


def store_of(folder: Path, lengths) -> TokenStore:
    """Pair i has ids that tell i, the side and the place, so that a mix-up shows."""
    pairs = (
        ([5 + 97 * i + place for place in range(source)], [55 + 97 * i + place for place in range(target)])
        for i, (source, target) in enumerate(lengths)
    )
    return TokenStore.build(folder, pairs, vocabulary=1 << 20)


@given(st.integers(1, 10**6))
def test_a_length_is_rounded_up_by_less_than_a_third_or_to_the_next_multiple_of_four(length):
    rounded = int(bucket(np.array(length)))
    assert length <= rounded
    assert rounded - length < max(4, length / 3 + 1)
    assert int(bucket(np.array(rounded))) == rounded
    assert int(bucket(np.array(length + 1))) >= rounded


def test_lengths_are_few():
    assert sorted(set(bucket(np.arange(1, 129)).tolist())) == [4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128]


@given(lengths=LENGTHS, tokens=st.integers(41, 300), seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_every_pair_is_there_once_in_matrices_within_the_budget(lengths, tokens, seed):
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder) / "store", lengths)
        batches = BucketedBatches([store], tokens, seed)
        plan = batches.plan(0)
        assert sorted(np.concatenate(plan).tolist()) == list(range(len(lengths)))
        for rows, pairs in zip(plan, islice(batches.stream(Position()), len(plan)), strict=True):
            plain = collate(store, rows)
            longest = max(side.tokens.shape[1] for side in (pairs.source, pairs.target))
            assert len(pairs.source) == len(pairs.target) == max(1, tokens // longest)
            for side, expected, missing in ((pairs.source, plain.source, 1), (pairs.target, plain.target, 0)):
                given_rows, width = expected.tokens.shape
                assert side.tokens.shape[1] == int(bucket(np.array(width)))
                assert side.tokens[:given_rows, :width].equal(expected.tokens)
                assert side.lengths[:given_rows].equal(expected.lengths)
                assert (side.lengths[given_rows:] == missing).all()
            assert pairs.target.total == plain.target.total


def test_padding_counts_the_rows_that_fill_up_a_shape(tmp_path):
    store = store_of(tmp_path / "store", [(9, 9), (9, 9), (9, 9)])  # with EOS ten tokens, in rows of twelve
    batches = BucketedBatches([store], 48, seed=1)
    positions = len(batches.plan(0)) * 4 * 12
    assert batches.padding == 1 - 30 / positions
