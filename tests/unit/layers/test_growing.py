"""Kernels that grow; what they compute is in tests/papers/test_kalchbrenner2013.py."""

import pytest
import torch

from saccade.layers.growing import InverseNgramModel, Kernels, NgramModel, widest_of


def test_kernels_lie_side_by_side():
    kernels = Kernels(width=5, widest=4)
    kernels.table.data.copy_(torch.arange(5 * 9).view(5, 9))
    assert [kernels.of(size)[0, 0].tolist() for size in (2, 3, 4)] == [[0, 1], [2, 3, 4], [5, 6, 7, 8]]


def test_padded_kernels_are_found_by_their_width():
    kernels = Kernels(width=5, widest=4)
    padded = kernels.padded()
    assert padded.shape == (5, 5, 4)
    assert not padded[:2].any()
    for size in (2, 3, 4):
        assert torch.equal(padded[size, :, :size], kernels.of(size)[:, 0])
        assert not padded[size, :, size:].any()


@pytest.mark.parametrize(("ngram", "widest"), [(2, 2), (3, 0), (4, 3), (5, 0), (6, 0), (7, 4), (11, 5), (1, 0)])
def test_kernels_of_which_widths_see_how_many_words(ngram, widest):
    assert widest_of(ngram) == widest


@pytest.mark.parametrize("ngram", [2, 4, 7])
def test_the_inverse_has_a_column_for_each_word_again(ngram):
    batch, words, width = 3, 11, 5
    columns = torch.randn(batch, words, width)
    ngrams = NgramModel(width, ngram)(columns, torch.ones(batch, words, dtype=torch.bool))
    assert ngrams.shape == (batch, words - ngram + 1, width)
    counts = torch.full((batch,), words - ngram + 1)
    assert InverseNgramModel(width, ngram)(ngrams, counts).shape == (batch, words, width)
