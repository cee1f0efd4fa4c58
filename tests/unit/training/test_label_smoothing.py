import math

import pytest
import torch
from torch.nn import functional

from saccade.sequences import Sequences
from saccade.training.label_smoothing import smoothed_cross_entropy

BATCH, TARGET, VOCABULARY = 3, 5, 7


@pytest.fixture
def logits(generator):
    return torch.randn(BATCH, TARGET, VOCABULARY, generator=generator, dtype=torch.float32)


@pytest.fixture
def target():
    return Sequences.of([[2, 6, 4, 1], [5, 1], [3, 3, 2, 4, 1]])


def smoothed_distribution(vocabulary, smoothing):
    distribution = torch.full((vocabulary,), smoothing / (vocabulary - 1), dtype=torch.float64)
    distribution[0] = 1 - smoothing
    return distribution


def test_it_is_the_cross_entropy_against_the_papers_distribution(logits, target):
    expected = 0.0
    log_probabilities = logits.double().log_softmax(-1)
    for row, length in enumerate(target.lengths.tolist()):
        for position in range(length):
            wanted = torch.full((VOCABULARY,), 0.1 / (VOCABULARY - 1), dtype=torch.float64)
            wanted[target.tokens[row, position]] = 0.9
            expected -= float((wanted * log_probabilities[row, position]).sum())
    assert smoothed_cross_entropy(logits, target.tokens, target.mask, 0.1).smoothed.item() == pytest.approx(
        expected, rel=1e-6
    )


def test_torch_smooths_alike_when_its_share_is_v_over_v_minus_1_times_larger(logits, target):
    real = target.mask
    expected = functional.cross_entropy(
        logits[real], target.tokens[real], label_smoothing=0.1 * VOCABULARY / (VOCABULARY - 1), reduction="sum"
    )
    torch.testing.assert_close(smoothed_cross_entropy(logits, target.tokens, target.mask, 0.1).smoothed, expected)


def test_the_plain_sum_is_the_likelihood_without_smoothing(logits, target):
    expected = functional.cross_entropy(logits[target.mask], target.tokens[target.mask], reduction="sum")
    torch.testing.assert_close(smoothed_cross_entropy(logits, target.tokens, target.mask, 0.1).plain, expected)
    torch.testing.assert_close(smoothed_cross_entropy(logits, target.tokens, target.mask, 0.0).smoothed, expected)


def test_correct_counts_the_most_probable_tokens(logits, target):
    expected = (logits.argmax(-1) == target.tokens)[target.mask].sum()
    assert smoothed_cross_entropy(logits, target.tokens, target.mask, 0.1).correct.item() == expected.item()


def test_padding_changes_neither_sums_nor_gradients(logits, target):
    longer = torch.cat([logits, torch.randn(BATCH, 2, VOCABULARY)], dim=1).requires_grad_()
    padded = Sequences(functional.pad(target.tokens, (0, 2)), target.lengths)
    loss = smoothed_cross_entropy(longer, padded.tokens, padded.mask, 0.1)
    loss.smoothed.backward()
    assert loss.smoothed.item() == pytest.approx(
        smoothed_cross_entropy(logits, target.tokens, target.mask, 0.1).smoothed.item()
    )
    assert longer.grad[~padded.mask].abs().sum() == 0


@pytest.mark.parametrize(
    ("vocabulary", "paper", "torchs"), [(37_000, 1.376948, 1.376913), (32_000, 1.362429, 1.362390)]
)
def test_the_least_loss_is_the_entropy_of_the_target(vocabulary, paper, torchs):
    perfect = smoothed_distribution(vocabulary, 0.1).log().reshape(1, 1, vocabulary)
    loss = smoothed_cross_entropy(perfect, torch.tensor([[0]]), torch.tensor([[True]]), 0.1)
    assert loss.smoothed.item() == pytest.approx(paper, abs=6e-7)
    # torch's own form keeps a share of the smoothing on the right token, and so has another least loss.
    other = smoothed_distribution(vocabulary, 0.1 * (vocabulary - 1) / vocabulary)
    assert -float((other * other.log()).sum()) == pytest.approx(torchs, abs=1e-6)


def test_bfloat16_logits_are_normalised_in_float32(logits, target):
    low_precision = logits.bfloat16()
    expected = smoothed_cross_entropy(low_precision.float(), target.tokens, target.mask, 0.1)
    assert smoothed_cross_entropy(low_precision, target.tokens, target.mask, 0.1).smoothed.dtype == torch.float32
    assert (
        smoothed_cross_entropy(low_precision, target.tokens, target.mask, 0.1).smoothed.item()
        == expected.smoothed.item()
    )


def test_uniform_scores_cost_the_logarithm_of_the_vocabulary(target):
    loss = smoothed_cross_entropy(torch.zeros(BATCH, TARGET, VOCABULARY), target.tokens, target.mask, 0.1)
    assert loss.smoothed.item() / target.total == pytest.approx(math.log(VOCABULARY), rel=1e-6)
