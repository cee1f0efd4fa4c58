import gzip
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batches import Batches, Position, evaluation_batches
from saccade.data.token_store import TokenStore
from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError
from saccade.special_tokens import EOS, PAD

LENGTHS = st.lists(st.tuples(st.integers(0, 22), st.integers(0, 22)), min_size=1, max_size=60)


def store_of(folder: Path, lengths, first: int = 5) -> TokenStore:
    """Pair i has ids that tell i, the side and the place, so that a mix-up shows."""
    pairs = (
        ([first + 97 * i + place for place in range(source)], [first + 50 + 97 * i + place for place in range(target)])
        for i, (source, target) in enumerate(lengths)
    )
    return TokenStore.build(folder, pairs, vocabulary=1 << 20)


@pytest.fixture
def store(tmp_path) -> TokenStore:
    generator = np.random.default_rng(3)
    return store_of(tmp_path / "store", generator.integers(1, 23, (211, 2)).tolist())


def same(left, right) -> bool:
    return torch.equal(left.source.tokens, right.source.tokens) and torch.equal(left.target.tokens, right.target.tokens)


@given(lengths=LENGTHS, tokens=st.integers(23, 200), seed=st.integers(0, 2**32), epoch=st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_a_plan_has_every_pair_once_within_the_budget_and_is_pure(lengths, tokens, seed, epoch):
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder) / "store", lengths)
        batches = Batches([store], tokens, seed)
        plan = batches.plan(epoch)
        assert sorted(np.concatenate(plan).tolist()) == list(range(len(lengths)))
        for rows in plan:
            assert len(rows) * (max(lengths[row][0] for row in rows) + 1) <= tokens
            assert len(rows) * (max(lengths[row][1] for row in rows) + 1) <= tokens
        batches.plan(epoch + 1)
        again = Batches([store], tokens, seed).plan(epoch)
        assert [rows.tolist() for rows in again] == [rows.tolist() for rows in plan]


def test_order_and_company_change_with_the_epoch_and_the_seed(store):
    def company(batches: Batches, epoch: int) -> set[frozenset[int]]:
        return {frozenset(rows.tolist()) for rows in batches.plan(epoch)}

    batches = Batches([store], 101, 1)
    assert company(batches, 0) != company(batches, 1)
    assert company(batches, 0) != company(Batches([store], 101, 2), 0)


def test_batches_come_in_no_order_of_length(store):
    longest = [max(store.target_lengths[rows]) for rows in Batches([store], 101, 1).plan(0)]
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


def test_a_batch_holds_the_ids_of_its_pairs_then_eos_then_padding(store):
    batches = Batches([store], 101, 1)
    pairs = next(batches.stream(Position()))
    for row, index in enumerate(batches.plan(0)[0]):
        for sequences, ids in zip((pairs.source, pairs.target), store[int(index)], strict=True):
            width = sequences.tokens.shape[1]
            assert sequences.tokens[row].tolist() == [*ids.tolist(), EOS] + [PAD] * (width - len(ids) - 1)
            assert sequences.lengths[row] == len(ids) + 1
    assert pairs.source.tokens.dtype == pairs.target.lengths.dtype == torch.int64


@pytest.mark.parametrize("skip", [0, 1, 29, 100])
def test_a_stream_continues_where_another_stopped(skip, store):
    whole = list(islice(Batches([store], 101, 1).stream(Position()), skip + 5))
    fresh = Batches([store], 101, 1)
    continued = fresh.stream(fresh.advance(Position(), skip))
    assert all(same(left, right) for left, right in zip(whole[skip:], islice(continued, 5), strict=True))


def test_ranks_share_the_stream_between_them(store):
    position = Position(2, 5)
    whole = list(islice(Batches([store], 101, 1).stream(position), 3 * 17))
    for rank in range(3):
        mine = list(islice(Batches([store], 101, 1).stream(position, rank, 3), 17))
        assert all(same(left, right) for left, right in zip(whole[rank::3], mine, strict=True))


def test_advancing_passes_through_epochs_of_different_sizes(store):
    batches = Batches([store], 101, 1)
    sizes = [len(batches.plan(epoch)) for epoch in range(3)]
    assert batches.advance(Position(0, 0), sizes[0]) == Position(1, 0)
    assert batches.advance(Position(0, 3), sizes[0] + sizes[1]) == Position(2, 3)
    assert batches.advance(Position(1, 7), 0) == Position(1, 7)


def test_epochs_take_turns_with_the_copies(tmp_path, store):
    other = store_of(tmp_path / "other", [(3, 5), (7, 2), (11, 13)], first=70_000)
    batches = Batches([store, other], 101, 1)
    assert sorted(np.concatenate(batches.plan(3)).tolist()) == [0, 1, 2]
    assert sum(len(rows) for rows in batches.plan(4)) == len(store)
    assert next(batches.stream(Position(1, 0))).source.tokens.max() >= 70_000


def test_a_pair_beyond_the_budget_is_refused_at_once(tmp_path):
    store = store_of(tmp_path / "a", [(3, 5), (2, 41)])
    with pytest.raises(ConfigError, match="at least 42.*but is 41"):
        Batches([store], 41, 1)
    assert len(Batches([store], 42, 1).plan(0)) == 2


def test_no_pairs_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="at least one pair"):
        Batches([store_of(tmp_path / "a", [])], 41, 1)


def test_padding_is_the_share_of_matrices_that_is_no_token(store):
    batches = Batches([store], 101, 1)
    epoch = list(islice(batches.stream(Position()), len(batches.plan(0))))
    positions = sum(pairs.source.tokens.numel() for pairs in epoch)
    tokens = sum(pairs.source.total for pairs in epoch)
    assert batches.padding_by_side.source == pytest.approx(1 - tokens / positions)
    assert batches.padding == pytest.approx((batches.padding_by_side.source + batches.padding_by_side.target) / 2)
    assert 0 < batches.padding < 1


@given(lengths=LENGTHS, tokens=st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_evaluation_reads_every_pair_once_and_says_which(lengths, tokens):
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder) / "store", lengths)
        batches = list(evaluation_batches(store, tokens))
        assert sorted(np.concatenate([rows for rows, _ in batches]).tolist()) == list(range(len(lengths)))
        for rows, pairs in batches:
            assert pairs.target.lengths.tolist() == [lengths[row][1] + 1 for row in rows]
            assert pairs.target.tokens.shape[1] == pairs.target.lengths.max()
            assert pairs.source.tokens.shape[1] == pairs.source.lengths.max()
            assert len(rows) == 1 or max(pairs.source.tokens.numel(), pairs.target.tokens.numel()) <= tokens
        longest = [int(pairs.target.lengths.max()) for _, pairs in batches]
        assert longest == sorted(longest, reverse=True)


def test_an_epoch_is_planned_once_and_two_at_most_are_kept(store):
    batches = Batches([store], 101, 1)
    first = batches.plan(0)
    batches.plan(1)
    assert batches.plan(0) is first
    for epoch in range(2, 6):
        batches.plan(epoch)
    assert batches.plan(0) is not first
    assert len(batches._plans) == 2


def test_a_batch_fills_its_budget_to_the_last_position(tmp_path):
    store = store_of(tmp_path / "a", [(4, 2)] * 10)
    assert [len(rows) for rows, _ in evaluation_batches(store, 15)] == [3, 3, 3, 1]


def test_there_is_no_rank_beyond_the_last(store):
    with pytest.raises(AssertionError):
        next(Batches([store], 101, 1).stream(Position(), rank=3, world=3))


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_similar_lengths_share_a_batch(seed, tmp_path):
    generator = np.random.default_rng(5)
    source = np.clip(generator.normal(14, 5, 1500).round().astype(int), 1, 40)
    target = np.clip(source + generator.normal(0, 3, 1500).round().astype(int), 1, 40)
    padding = Batches([store_of(tmp_path / "a", np.stack([source, target], 1).tolist())], 1000, seed).padding_by_side
    assert padding.source < 0.1
    assert padding.target < 0.1


def test_batches_are_of_similar_length_on_both_sides(tmp_path):
    # Lengths that tell nothing about each other. Sorted by one side these batches are padded by 21 %, by the longer
    # side 24 %, in strips that all run in one direction 10 %, and in strips that run there and back 7 %.
    lengths = np.random.default_rng(0).integers(1, 38, (1499, 2)).tolist()
    assert Batches([store_of(tmp_path / "store", lengths)], 307, 1).padding < 0.085


@pytest.mark.slow
def test_real_captions_are_padded_by_less_than_a_twentieth_on_either_side(corpora, tmp_path):
    lines = {
        language: gzip.decompress((corpora / "multi30k" / f"train.{language}.gz").read_bytes()).decode().splitlines()
        for language in ("de", "en")
    }
    tokenizer = Tokenizer.train(lines["de"][:3000] + lines["en"][:3000], pieces="bpe", size=4000)
    store = TokenStore.build(
        tmp_path / "a", zip(tokenizer.encode(lines["de"]), tokenizer.encode(lines["en"]), strict=True)
    )
    padding = Batches([store], 4096, 1).padding_by_side
    assert padding.source < 0.05
    assert padding.target < 0.05
