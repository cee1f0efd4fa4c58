from dataclasses import replace
from itertools import islice

import pytest
import torch
from torch.nn import functional

from saccade.attention.policy_gradient import drawing, policy_gradient
from saccade.data.batches import Position
from saccade.models.capabilities import Penalised
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.models.transformer import Transformer
from saccade.sequences import Pairs, Sequences
from saccade.training.label_smoothing import smoothed_cross_entropy
from saccade.training.objective import Objective
from saccade.training.out_of_memory import halves


class PenalisedTransformer(Transformer, Penalised):
    """Adds the square of what it made of each sentence's first word."""

    def penalty(self, memory):
        return 0.3 * memory.states[:, 0].square().sum()


@pytest.fixture
def penalised(toy):
    model = toy.model(dropout=0.0, kind=PenalisedTransformer)
    model.packs = False  # so that each sentence's first word is the first of a row
    return model


PAIRS = Pairs(
    Sequences.of([[5, 6, 7, 1], [8, 1], [4, 4, 9, 5, 1], [6, 1], [7, 9, 1]]),
    Sequences.of([[6, 1], [9, 8, 4, 1], [5, 1], [7, 7, 7, 1], [10, 1]]),
)


@pytest.mark.parametrize("packs", [True, False], ids=["one row", "padded rows"])
def test_products_in_bfloat16_point_the_same_way(toy, packs):
    """On a CPU: two to three digits of each product, all sums in float32."""
    model = toy.model(dropout=0.0, initialisation="xavier")
    model.packs = packs
    found = {}
    for autocast in (False, True):
        model.zero_grad()
        loss = Objective(model, 0.1, autocast)(PAIRS)
        loss.smoothed.backward()
        found[autocast] = loss, torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    (exact, gradient), (low, low_gradient) = found[False], found[True]
    assert low_gradient.dtype == low.smoothed.dtype == torch.float32
    torch.testing.assert_close(low.smoothed, exact.smoothed, rtol=0.01, atol=0.0)
    torch.testing.assert_close(low.plain, exact.plain, rtol=0.01, atol=0.0)
    assert functional.cosine_similarity(gradient, low_gradient, dim=0) > 0.999
    assert low_gradient.norm() / gradient.norm() == pytest.approx(1.0, abs=0.02)


def test_a_penalty_is_added_to_what_is_minimised_and_to_nothing_else(penalised):
    found = Objective(penalised, 0.1, autocast=False)(PAIRS)
    memory = penalised.encode(PAIRS.source)
    expected = smoothed_cross_entropy(
        penalised.decode(PAIRS.target.reads, memory), PAIRS.target.tokens, PAIRS.target.mask, 0.1
    )
    torch.testing.assert_close(found.smoothed, expected.smoothed + penalised.penalty(memory))
    torch.testing.assert_close(found.plain, expected.plain)
    assert found.correct == expected.correct


def test_the_halves_of_a_batch_have_the_penalty_of_the_whole(penalised):
    objective = Objective(penalised, 0.1, autocast=False)
    whole = objective(PAIRS).smoothed
    torch.testing.assert_close(sum(objective(half).smoothed for half in halves(PAIRS)), whole)


def test_a_step_is_along_the_gradient_of_both_sums_over_its_tokens(toy, penalised, tmp_path):
    """Plain descent at rate 1: the weights move by the gradient itself, however it is cut into micro-batches."""
    config = replace(
        toy.CONFIG, steps=1, optimizer="sgd", learning_rate=1.0, warmup=1, schedule="constant", accumulate=3
    )
    before = {name: parameter.detach().clone() for name, parameter in penalised.named_parameters()}
    micro_batches = list(islice(toy.batches(tmp_path, config).stream(Position()), 3))
    total = 0.0
    for pairs in micro_batches:
        memory = penalised.encode(pairs.source)
        logits = penalised.decode(pairs.target.reads, memory)
        loss = smoothed_cross_entropy(logits, pairs.target.tokens, pairs.target.mask, 0.1)
        total = total + loss.smoothed + penalised.penalty(memory)
    (total / sum(pairs.target.total for pairs in micro_batches)).backward()
    gradients = {name: parameter.grad.clone() for name, parameter in penalised.named_parameters()}
    toy.train_this(penalised, tmp_path, config)
    for name, parameter in penalised.named_parameters():
        torch.testing.assert_close(before[name] - parameter.detach(), gradients[name], atol=2e-6, rtol=1e-4)


def test_a_reinforced_alignment_learns_from_the_log_likelihood_and_leaves_the_loss_as_it_is():
    torch.manual_seed(1)
    config = RNNsearchConfig(width=7, deviation=0.5, alignment="reinforced", score="general")
    model = RNNsearch(config, 13, 13).train()
    torch.manual_seed(2)
    loss = Objective(model, 0.1, autocast=False)(PAIRS)
    loss.smoothed.backward()
    found = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    model.attention.alignment.baseline.zero_()
    torch.manual_seed(2)
    with drawing() as draws:
        logits = model.decode(PAIRS.target.reads, model.encode(PAIRS.source))
    expected = smoothed_cross_entropy(logits, PAIRS.target.tokens, PAIRS.target.mask, 0.1)
    words = logits.log_softmax(-1).gather(-1, PAIRS.target.tokens.unsqueeze(-1)).squeeze(-1)
    (expected.smoothed + policy_gradient(draws, words, PAIRS.target.mask)).backward()
    torch.testing.assert_close(loss.smoothed, expected.smoothed)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(found[name], parameter.grad, msg=lambda text, name=name: f"{name}: {text}")
    assert found["attention.score.query.weight"].abs().sum() > 0
