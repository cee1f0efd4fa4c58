import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import RunError
from saccade.sequences import Packed, Packing, Pairs, Sequences
from saccade.special_tokens import EOS
from saccade.training.out_of_memory import MemoryLimits, halves, run_whole, sentences
from saccade.training.step import Split


def rows(lengths):
    return [[*range(4, 4 + length), EOS] for length in lengths]


def padded(sources, targets):
    return Pairs(Sequences.of(rows(sources)), Sequences.of(rows(targets)))


def packed_side(lengths, places, empty):
    tokens = [token for row in rows(lengths) for token in row]
    offsets = torch.tensor([0, *[length + 1 for length in lengths]]).cumsum(0)
    offsets = torch.cat([offsets, offsets[-1:].expand(places - len(lengths))])
    sentence = [number for number, length in enumerate(lengths) for _ in range(length + 1)] + [-1] * empty
    positions = [place for length in lengths for place in range(length + 1)] + [0] * empty
    return Packed(
        torch.tensor([tokens + [0] * empty]),
        torch.tensor([positions]),
        Packing(offsets, torch.tensor([sentence])),
    )


def packed(sources, targets, places=7, empty=3):
    return Pairs(packed_side(sources, places, empty), packed_side(targets, places, empty))


LENGTHS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=7)


@given(LENGTHS)
def test_two_halves_of_a_padded_batch_hold_its_sentences_in_order(lengths):
    sources, targets = zip(*lengths, strict=True)
    first, second = halves(padded(sources, targets))
    middle = len(lengths) // 2
    for half, part in ((first, slice(0, middle)), (second, slice(middle, None))):
        expected = padded(sources[part], targets[part])
        for side in ("source", "target"):
            assert torch.equal(getattr(half, side).tokens, getattr(expected, side).tokens)
            assert torch.equal(getattr(half, side).lengths, getattr(expected, side).lengths)


@given(LENGTHS)
def test_two_halves_of_a_packed_batch_hold_its_sentences_in_order(lengths):
    sources, targets = zip(*lengths, strict=True)
    first, second = halves(packed(sources, targets))
    middle = len(lengths) // 2
    for half, part in ((first, slice(0, middle)), (second, slice(middle, None))):
        expected = packed(sources[part], targets[part], empty=0)
        for side in ("source", "target"):
            ours, theirs = getattr(half, side), getattr(expected, side)
            assert torch.equal(ours.tokens, theirs.tokens)
            assert torch.equal(ours.positions, theirs.positions)
            assert torch.equal(ours.packing.offsets, theirs.packing.offsets)
            assert torch.equal(ours.packing.sentence, theirs.packing.sentence)


def test_sentences_are_counted_in_both_layouts():
    assert sentences(padded([3, 1, 2], [2, 5, 1])) == 3
    assert sentences(packed([3, 1, 2], [2, 5, 1])) == 3


class Memory:
    """Takes batches of up to so many sentences, and remembers which."""

    def __init__(self, most):
        self.most = most
        self.begun = 0
        self.taken = []

    def begin(self, number):
        if number:
            return
        self.begun += 1
        self.taken = []

    def run(self, number, pairs):
        if sentences(pairs) > self.most:
            raise torch.OutOfMemoryError("out of memory")
        self.taken.append((number, sentences(pairs)))
        return torch.tensor([float(pairs.target.total), 1.0])


def test_what_fits_is_taken_whole():
    memory, batches = Memory(most=5), [padded([2] * 5, [3] * 5), padded([1], [1])]
    sums, split = MemoryLimits().run_halving(batches, memory)
    assert memory.taken == [(0, 5), (1, 1)]
    assert sums.tolist() == [22.0, 2.0]
    assert (split, memory.begun) == (Split(), 1)


def test_what_does_not_fit_is_halved_until_it_does():
    memory, batches = Memory(most=2), [padded([1] * 2, [1] * 2), padded([2] * 7, [3] * 7)]
    sums, split = MemoryLimits().run_halving(batches, memory)
    assert memory.taken == [(0, 2), (1, 1), (1, 2), (1, 2), (1, 2)]
    assert sums.tolist() == [32.0, 5.0]
    assert split == Split(sentences=7, halvings=3)


def test_after_each_failure_the_step_begins_again():
    memory = Memory(most=2)
    MemoryLimits().run_halving([padded([2] * 7, [3] * 7)], memory)
    assert memory.begun == 4


def test_what_was_too_large_is_not_tried_whole_again():
    memory, limits, batch = Memory(most=3), MemoryLimits(), padded([2] * 5, [3] * 5)
    limits.run_halving([batch], memory)
    memory.begun = 0
    _, split = limits.run_halving([batch], memory)
    assert memory.begun == 1
    assert split == Split(sentences=5, halvings=1)


def test_one_pair_that_does_not_fit_ends_the_run_with_advice():
    memory = Memory(most=0)
    with pytest.raises(RunError, match=r"one pair of 3 and 4 tokens must fit .*Lower `data.maximum_length`"):
        MemoryLimits().run_halving([padded([2] * 2, [3] * 2)], memory)


def test_where_nothing_can_be_halved_the_run_ends_with_advice():
    memory = Memory(most=2)
    with pytest.raises(RunError, match=r"a batch of 3 pairs must fit .*Lower `training.batch_tokens`"):
        run_whole([padded([1] * 2, [1] * 2), padded([2] * 3, [3] * 3)], memory)
    assert memory.taken == [(0, 2)]


def test_limits_allow_what_has_fitted_and_no_more():
    memory, limits = Memory(most=9), MemoryLimits()
    small, large = padded([2] * 3, [3] * 3), padded([2] * 3, [4] * 3)
    assert not limits.allow([small])
    limits.run_halving([small], memory)
    assert limits.allow([small, small])
    assert not limits.allow([small, large])


def test_limits_do_not_allow_what_was_refused():
    memory, limits, batch = Memory(most=2), MemoryLimits(), padded([2] * 3, [3] * 3)
    limits.run_halving([batch], memory)
    assert not limits.allow([batch])
