"""GrowingKernels that grow; what they compute is in tests/papers/test_kalchbrenner2013.py."""

import pytest
import torch

from saccade.layers.ngram_convolutions import (
    GrowingKernels,
    InverseNgramModel,
    NgramModel,
    SentenceModel,
    for_logistic_units,
    widest_of,
)


def test_kernels_lie_side_by_side():
    kernels = GrowingKernels(width=5, widest=4, reads_words=False)
    kernels.table.data.copy_(torch.arange(5 * 9).view(5, 9))
    assert [kernels.of(size)[0, 0].tolist() for size in (2, 3, 4)] == [[0, 1], [2, 3, 4], [5, 6, 7, 8]]


def test_padded_kernels_are_found_by_their_width():
    kernels = GrowingKernels(width=5, widest=4, reads_words=False)
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


def test_weights_of_logistic_units_sum_to_zero_and_make_up_for_their_slope():
    torch.manual_seed(1)
    weights = torch.empty(199, 101)
    for_logistic_units(weights)
    assert weights.sum(1).abs().max() < 1e-4
    # A logistic unit has slope 1/4 at zero: what varies by 0.1 varies by 0.1 after 101 of them were added up.
    inputs = 0.5 + 0.1 * torch.randn(1009, 101)
    assert (inputs @ weights.T).sigmoid().std(0).mean().item() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("length", [4, 7, 13, 29])
def test_sentences_of_any_length_are_told_apart_from_the_start(length):
    torch.manual_seed(1)
    sentences, width = 61, 43
    vectors = SentenceModel(width, 41)(torch.randn(sentences, length, width), torch.full((sentences,), length))
    assert 0.08 < vectors.std(0).mean() < 0.3
    assert vectors.mean(0).std() < 0.1
