import torch

from saccade.sequences import PAD, Pairs, Sequences
from saccade.training.packing import packed, unpadded


def test_real_tokens_follow_one_another():
    assert packed(Sequences.of([[5, 6, 1], [7, 1]])).tokens.tolist() == [[5, 6, 1, 7, 1]]


def test_positions_begin_anew_in_each_sentence():
    assert packed(Sequences.of([[5, 6, 1], [7, 1]])).positions.tolist() == [[0, 1, 2, 0, 1]]


def test_sentences_are_where_the_packing_says():
    packing = packed(Sequences.of([[5, 6, 1], [7, 1]])).packing
    assert packing.offsets.tolist() == [0, 3, 5]
    assert packing.sentence.tolist() == [[0, 0, 0, 1, 1]]


def test_a_row_is_filled_up_with_slots_of_no_sentence():
    row = packed(Sequences.of([[5, 6, 1], [7, 1]]), multiple=4)
    assert row.tokens.tolist() == [[5, 6, 1, 7, 1, PAD, PAD, PAD]]
    assert row.packing.offsets.tolist() == [0, 3, 5]
    assert row.mask.tolist() == [[True] * 5 + [False] * 3]


def test_what_a_decoder_reads_is_the_same_tokens():
    target = Sequences.of([[5, 6, 1], [7, 1], [4, 8, 9, 1]])
    assert torch.equal(packed(target).reads.tokens, target.reads.tokens[target.mask].unsqueeze(0))


def test_long_sentences_stay_in_rows_of_their_own():
    pairs = Pairs(Sequences.of([[4] * 300]), Sequences.of([[5, 1]]))
    assert unpadded(pairs) is pairs


def test_a_batch_that_is_packed_stays_as_it_is():
    pairs = unpadded(Pairs(Sequences.of([[4, 1]]), Sequences.of([[5, 1]])))
    assert unpadded(pairs) is pairs
