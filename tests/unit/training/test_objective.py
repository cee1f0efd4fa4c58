import math
from dataclasses import replace
from itertools import islice

import pytest
import torch
from torch.nn import functional

from saccade.data.batches import Position
from saccade.models.transformer import Transformer
from saccade.sequences import Pairs, Sequences
from saccade.training.objective import Objective, smoothed_cross_entropy
from saccade.training.out_of_memory import halves

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
    assert smoothed_cross_entropy(logits, target, 0.1).smoothed.item() == pytest.approx(expected, rel=1e-6)


def test_torch_smooths_alike_when_its_share_is_v_over_v_minus_1_times_larger(logits, target):
    real = target.mask
    expected = functional.cross_entropy(
        logits[real], target.tokens[real], label_smoothing=0.1 * VOCABULARY / (VOCABULARY - 1), reduction="sum"
    )
    torch.testing.assert_close(smoothed_cross_entropy(logits, target, 0.1).smoothed, expected)


def test_the_plain_sum_is_the_likelihood_without_smoothing(logits, target):
    expected = functional.cross_entropy(logits[target.mask], target.tokens[target.mask], reduction="sum")
    torch.testing.assert_close(smoothed_cross_entropy(logits, target, 0.1).plain, expected)
    torch.testing.assert_close(smoothed_cross_entropy(logits, target, 0.0).smoothed, expected)


def test_correct_counts_the_most_probable_tokens(logits, target):
    expected = (logits.argmax(-1) == target.tokens)[target.mask].sum()
    assert smoothed_cross_entropy(logits, target, 0.1).correct.item() == expected.item()


def test_padding_changes_neither_sums_nor_gradients(logits, target):
    longer = torch.cat([logits, torch.randn(BATCH, 2, VOCABULARY)], dim=1).requires_grad_()
    padded = Sequences(functional.pad(target.tokens, (0, 2)), target.lengths)
    loss = smoothed_cross_entropy(longer, padded, 0.1)
    loss.smoothed.backward()
    assert loss.smoothed.item() == pytest.approx(smoothed_cross_entropy(logits, target, 0.1).smoothed.item())
    assert longer.grad[~padded.mask].abs().sum() == 0


@pytest.mark.parametrize(
    ("vocabulary", "paper", "torchs"), [(37_000, 1.376948, 1.376913), (32_000, 1.362429, 1.362390)]
)
def test_the_least_loss_is_the_entropy_of_the_target(vocabulary, paper, torchs):
    perfect = smoothed_distribution(vocabulary, 0.1).log().reshape(1, 1, vocabulary)
    assert smoothed_cross_entropy(perfect, Sequences.of([[0]]), 0.1).smoothed.item() == pytest.approx(paper, abs=6e-7)
    # torch's own form keeps a share of the smoothing on the right token, and so has another least loss.
    other = smoothed_distribution(vocabulary, 0.1 * (vocabulary - 1) / vocabulary)
    assert -float((other * other.log()).sum()) == pytest.approx(torchs, abs=1e-6)


def test_bfloat16_logits_are_normalised_in_float32(logits, target):
    coarse = logits.bfloat16()
    expected = smoothed_cross_entropy(coarse.float(), target, 0.1)
    assert smoothed_cross_entropy(coarse, target, 0.1).smoothed.dtype == torch.float32
    assert smoothed_cross_entropy(coarse, target, 0.1).smoothed.item() == expected.smoothed.item()


def test_uniform_scores_cost_the_logarithm_of_the_vocabulary(target):
    loss = smoothed_cross_entropy(torch.zeros(BATCH, TARGET, VOCABULARY), target, 0.1)
    assert loss.smoothed.item() / target.total == pytest.approx(math.log(VOCABULARY), rel=1e-6)


class Penalised(Transformer):
    """Adds the square of what it made of each sentence's first word."""

    def penalty(self, memory):
        return 0.3 * memory.states[:, 0].square().sum()


@pytest.fixture
def penalised(toy):
    model = toy.model(dropout=0.0, kind=Penalised)
    model.packs = False  # so that each sentence's first word is the first of a row
    return model


PAIRS = Pairs(
    Sequences.of([[5, 6, 7, 1], [8, 1], [4, 4, 9, 5, 1], [6, 1], [7, 9, 1]]),
    Sequences.of([[6, 1], [9, 8, 4, 1], [5, 1], [7, 7, 7, 1], [10, 1]]),
)


@pytest.mark.parametrize("packs", [True, False], ids=["one row", "padded rows"])
def test_products_in_bfloat16_point_the_same_way(toy, packs):
    """Loss and gradients of the processor's coarse path: two to three digits of each product, all sums in float32."""
    model = toy.model(dropout=0.0)
    model.packs = packs
    found = {}
    for autocast in (False, True):
        model.zero_grad()
        loss = Objective(model, 0.1, autocast)(PAIRS)
        loss.smoothed.backward()
        found[autocast] = loss, torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    (exact, gradient), (coarse, coarse_gradient) = found[False], found[True]
    assert coarse_gradient.dtype == coarse.smoothed.dtype == torch.float32
    torch.testing.assert_close(coarse.smoothed, exact.smoothed, rtol=0.01, atol=0.0)
    torch.testing.assert_close(coarse.plain, exact.plain, rtol=0.01, atol=0.0)
    assert functional.cosine_similarity(gradient, coarse_gradient, dim=0) > 0.999
    assert coarse_gradient.norm() / gradient.norm() == pytest.approx(1.0, abs=0.02)


def test_a_penalty_is_added_to_what_is_minimised_and_to_nothing_else(penalised):
    found = Objective(penalised, 0.1, autocast=False)(PAIRS)
    memory = penalised.encode(PAIRS.source)
    expected = smoothed_cross_entropy(penalised.decode(PAIRS.target.reads, memory), PAIRS.target, 0.1)
    torch.testing.assert_close(found.smoothed, expected.smoothed + penalised.penalty(memory))
    torch.testing.assert_close(found.plain, expected.plain)
    assert found.correct == expected.correct


def test_the_halves_of_a_batch_have_the_penalty_of_the_whole(penalised):
    objective = Objective(penalised, 0.1, autocast=False)
    whole = objective(PAIRS).smoothed
    torch.testing.assert_close(sum(objective(half).smoothed for half in halves(PAIRS)), whole)


def test_a_step_is_along_the_gradient_of_both_sums_over_its_tokens(toy, penalised, tmp_path):
    """Plain descent at rate 1: the weights move by the gradient itself, whatever the micro-batches."""
    config = replace(
        toy.CONFIG, steps=1, optimizer="sgd", learning_rate=1.0, warmup=1, schedule="constant", accumulate=3
    )
    before = {name: parameter.detach().clone() for name, parameter in penalised.named_parameters()}
    micro_batches = list(islice(toy.batches(tmp_path, config).stream(Position()), 3))
    total = 0.0
    for pairs in micro_batches:
        memory = penalised.encode(pairs.source)
        logits = penalised.decode(pairs.target.reads, memory)
        total = total + smoothed_cross_entropy(logits, pairs.target, 0.1).smoothed + penalised.penalty(memory)
    (total / sum(pairs.target.total for pairs in micro_batches)).backward()
    gradients = {name: parameter.grad.clone() for name, parameter in penalised.named_parameters()}
    toy.train_this(penalised, tmp_path, config)
    for name, parameter in penalised.named_parameters():
        torch.testing.assert_close(before[name] - parameter.detach(), gradients[name], atol=2e-6, rtol=1e-4)
