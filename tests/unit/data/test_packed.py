import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batches import Position
from saccade.data.packed import PackedBatches, pack, without_padding
from saccade.data.token_store import TokenStore
from saccade.errors import ConfigError
from saccade.sequences import Packed, Pairs, Sequences
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


def sentences(side: Packed) -> list[list[int]]:
    """The tokens of each sentence, cut where the offsets say."""
    offsets = side.packing.offsets.tolist()
    return [side.tokens[0, start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)]


@given(lengths=LENGTHS, tokens=st.integers(23, 200), seed=st.integers(0, 2**32), epoch=st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_a_plan_has_every_pair_once_within_the_slots_and_is_pure(lengths, tokens, seed, epoch):
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder) / "store", lengths)
        batches = PackedBatches([store], tokens, seed)
        plan = batches.plan(epoch)
        assert sorted(np.concatenate(plan).tolist()) == list(range(len(lengths)))
        for rows in plan:
            assert 0 < len(rows) <= batches.sentences
            assert sum(lengths[row][0] + 1 for row in rows) <= tokens
            assert sum(lengths[row][1] + 1 for row in rows) <= tokens
        batches.plan(epoch + 1)
        again = PackedBatches([store], tokens, seed).plan(epoch)
        assert [rows.tolist() for rows in again] == [rows.tolist() for rows in plan]


@given(lengths=LENGTHS, tokens=st.integers(23, 200))
@settings(max_examples=30, deadline=None)
def test_a_batch_holds_the_tokens_of_its_pairs_and_says_where(lengths, tokens):
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder) / "store", lengths)
        batches = PackedBatches([store], tokens, 7)
        for rows, pairs in zip(batches.plan(0), batches.stream(Position()), strict=False):
            found = {}
            for number, (source, target) in enumerate(
                zip(sentences(pairs.source), sentences(pairs.target), strict=True)
            ):
                if number < len(rows):
                    found[tuple(source)] = target
                else:
                    assert source == target == []
            expected = {
                (*range(5 + 97 * row, 5 + 97 * row + lengths[row][0]), EOS): [
                    *range(55 + 97 * row, 55 + 97 * row + lengths[row][1]),
                    EOS,
                ]
                for row in rows.tolist()
            }
            if all(lengths[row][0] for row in rows):  # empty sources cannot be told apart
                assert found == expected
            assert sorted(map(len, sentences(pairs.target))) == sorted(
                [lengths[row][1] + 1 for row in rows] + [0] * (batches.sentences - len(rows))
            )


@given(lengths=LENGTHS, tokens=st.integers(23, 200))
@settings(max_examples=30, deadline=None)
def test_offsets_sentences_and_positions_say_the_same(lengths, tokens):
    with tempfile.TemporaryDirectory() as folder:
        batches = PackedBatches([store_of(Path(folder) / "store", lengths)], tokens, 7)
        for pairs in islice(batches.stream(Position()), len(batches.plan(0))):
            for side in (pairs.source, pairs.target):
                offsets, used = side.packing.offsets, side.total
                assert (offsets[0], offsets[-1]) == (0, used)
                assert (offsets.diff() >= 0).all()
                sentence = side.packing.sentence[0]
                assert (
                    sentence[:used].tolist()
                    == torch.arange(len(offsets) - 1).repeat_interleave(offsets.diff()).tolist()
                )
                assert (sentence[used:] == -1).all()
                assert torch.equal(side.positions[0, :used], torch.arange(used) - offsets[sentence[:used]])
                assert torch.equal(side.mask[0], torch.arange(tokens) < used)
                assert (side.tokens[0, used:] == PAD).all()
                assert (side.positions[0, used:] == 0).all()


def test_all_batches_have_one_shape(store):
    batches = PackedBatches([store], 101, 1)
    shapes = {
        tuple(tuple(tensor.shape) for side in (pairs.source, pairs.target) for tensor in side.tensors())
        for pairs in islice(batches.stream(Position()), 3 * len(batches.plan(0)))
    }
    row, places = (1, 101), (batches.sentences + 1,)
    assert shapes == {(row, row, places, row) * 2}


def test_the_longest_pairs_come_first(store):
    for pairs in islice(PackedBatches([store], 101, 1).stream(Position()), 5):
        lengths = (pairs.source.packing.offsets.diff() + pairs.target.packing.offsets.diff()).tolist()
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[0] > lengths[len(lengths) // 8] > 0


def test_order_and_company_change_with_the_epoch_and_the_seed(store):
    def company(batches: PackedBatches, epoch: int) -> set[frozenset[int]]:
        return {frozenset(rows.tolist()) for rows in batches.plan(epoch)}

    batches = PackedBatches([store], 101, 1)
    assert company(batches, 0) != company(batches, 1)
    assert company(batches, 0) != company(PackedBatches([store], 101, 2), 0)


def test_batches_are_as_full_as_they_can_be(store):
    """Nothing but the next pair in line can be kept out, and that is at most 23 tokens long on its fuller side."""
    batches = PackedBatches([store], 101, 1)
    fuller = [
        max(pairs.source.total, pairs.target.total)
        for pairs in islice(batches.stream(Position()), len(batches.plan(0)))
    ]
    assert sorted(fuller)[1] > 101 - 23  # the last of the line may be short
    assert max(fuller) <= 101


def test_a_batch_never_holds_more_sentences_than_there_are_places(store):
    batches = PackedBatches([store], 101, 1)
    batches.sentences = 5
    assert {len(rows) for rows in batches.plan(0)} == {5, 211 % 5}
    assert sorted(np.concatenate(batches.plan(0)).tolist()) == list(range(211))
    pairs = next(batches.stream(Position()))
    assert len(pairs.source.packing.offsets) == 6


def test_there_are_a_few_more_places_than_the_fullest_batch_needs(store):
    batches = PackedBatches([store], 301, 1)
    fullest = max(len(rows) for epoch in range(7) for rows in batches.plan(epoch))
    assert fullest < batches.sentences <= 2 * fullest + 32
    assert batches.sentences % 32 == 0


def test_several_stores_take_turns_and_share_the_number_of_places(tmp_path, store):
    short = store_of(tmp_path / "short", [(1, 1)] * 400, first=70_000)
    batches = PackedBatches([store, short], 101, 1)
    assert batches.sentences >= 50
    assert [sum(len(rows) for rows in batches.plan(epoch)) for epoch in range(3)] == [211, 400, 211]
    one, other = (next(batches.stream(Position(epoch, 0))) for epoch in (0, 1))
    assert one.source.packing.offsets.shape == other.source.packing.offsets.shape
    assert one.source.tokens.max() < 70_000 <= other.source.tokens.max()


def test_padding_is_the_share_of_slots_that_hold_no_token(store):
    batches = PackedBatches([store], 101, 1)
    epoch = list(islice(batches.stream(Position()), len(batches.plan(0))))
    for side in ("source", "target"):
        tokens = sum(getattr(pairs, side).total for pairs in epoch)
        assert getattr(batches.padding_by_side, side) == pytest.approx(1 - tokens / (101 * len(epoch)))
    assert 0 < batches.padding < 0.2


def test_ranks_share_an_epoch(store):
    batches = PackedBatches([store], 101, 1)
    alone = list(islice(batches.stream(Position()), 6))
    for rank in range(2):
        for own, expected in zip(batches.stream(Position(), rank, 2), alone[rank::2], strict=False):
            assert torch.equal(own.target.tokens, expected.target.tokens)


def test_a_pair_beyond_the_slots_is_refused_at_once(tmp_path):
    store = store_of(tmp_path / "a", [(3, 5), (2, 41)])
    with pytest.raises(ConfigError, match="at least 42.*but is 41"):
        PackedBatches([store], 41, 1)
    assert len(PackedBatches([store], 42, 1).plan(0)) == 2


def test_real_tokens_follow_one_another():
    assert pack(Sequences.of([[5, 6, 1], [7, 1]])).tokens.tolist() == [[5, 6, 1, 7, 1]]


def test_positions_begin_anew_in_each_sentence():
    assert pack(Sequences.of([[5, 6, 1], [7, 1]])).positions.tolist() == [[0, 1, 2, 0, 1]]


def test_sentences_are_where_the_packing_says():
    packing = pack(Sequences.of([[5, 6, 1], [7, 1]])).packing
    assert packing.offsets.tolist() == [0, 3, 5]
    assert packing.sentence.tolist() == [[0, 0, 0, 1, 1]]


def test_a_row_is_filled_up_with_slots_of_no_sentence():
    row = pack(Sequences.of([[5, 6, 1], [7, 1]]), multiple=4)
    assert row.tokens.tolist() == [[5, 6, 1, 7, 1, PAD, PAD, PAD]]
    assert row.packing.offsets.tolist() == [0, 3, 5]
    assert row.mask.tolist() == [[True] * 5 + [False] * 3]


def test_what_a_decoder_reads_is_the_same_tokens():
    target = Sequences.of([[5, 6, 1], [7, 1], [4, 8, 9, 1]])
    assert torch.equal(pack(target).reads.tokens, target.reads.tokens[target.mask].unsqueeze(0))


def test_long_sentences_stay_in_rows_of_their_own():
    pairs = Pairs(Sequences.of([[4] * 300]), Sequences.of([[5, 1]]))
    assert without_padding(pairs) is pairs


def test_a_batch_that_is_packed_stays_as_it_is():
    pairs = without_padding(Pairs(Sequences.of([[4, 1]]), Sequences.of([[5, 1]])))
    assert without_padding(pairs) is pairs
