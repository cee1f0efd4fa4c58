"""REINFORCE: its gradient on average against the true one, its bookkeeping by hand."""

import math

import pytest
import torch

from saccade.attention.policy_gradient import drawing, policy_gradient
from saccade.attention.reinforced_alignment import Reinforced, ReinforcedSubset

REAL = torch.tensor([[True, True, True, False]])
SCORES = torch.tensor([[[0.5, -1.0, 0.2, 9.0]]], dtype=torch.float64)
REWARDS = torch.tensor([-0.3, -2.0, -1.1, 0.0], dtype=torch.float64)
QUERY, FIRST = torch.zeros(1, 1, 2, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.int64)


def estimates(module, reward, many):
    """The gradient of the scores, averaged over many draws that do not know of each other, and its standard error."""
    module.double().train()
    module.baseline.fill_(-1.0)
    scores = SCORES.expand(many, -1, -1).clone().requires_grad_()
    with drawing() as draws:
        weights = module(scores, REAL.expand(many, -1), QUERY.expand(many, -1, -1), FIRST)
    zero = policy_gradient(draws, reward(weights.detach()), torch.ones(many, 1, dtype=torch.bool))
    assert zero.item() == 0
    zero.backward()
    each = -scores.grad[:, 0]
    return each.mean(0), each.std(0) / math.sqrt(many)


def test_draws_of_one_position_have_on_average_the_gradient_of_the_expected_reward():
    torch.manual_seed(3)
    found, error = estimates(Reinforced(entropy_bonus=0.0), lambda weights: weights[:, 0] @ REWARDS[:, None], 20_000)
    scores = SCORES.clone().requires_grad_()
    ((scores[0, 0, :3].softmax(-1)) @ REWARDS[:3]).backward()
    assert ((found - scores.grad[0, 0]).abs() <= 4 * error + 1e-12).all()
    assert found[3] == 0


def test_draws_of_a_subset_have_on_average_the_gradient_of_the_expected_reward():
    """The reward is that the first key is kept and the second is not; what the keys cost comes off it."""
    torch.manual_seed(3)
    module = ReinforcedSubset(entropy_bonus=0.0, price=0.3)
    found, error = estimates(
        module, lambda weights: ((weights[..., 0] > 0).double() - (weights[..., 1] > 0).double()) - 2, 20_000
    )
    opening = [(e + 1.0) for e in SCORES[0, 0, :3].tolist()]  # slope one, bias one
    slope = [1 / (1 + math.exp(-x)) * (1 / (1 + math.exp(x))) for x in opening]
    expected = [slope[0] * (1 - 0.1), slope[1] * (-1 - 0.1), slope[2] * -0.1, 0.0]
    assert ((found - torch.tensor(expected)).abs() <= 4 * error + 1e-12).all()


def test_the_entropy_bonus_is_the_gradient_of_the_entropy():
    module = Reinforced(entropy_bonus=0.7).double().train()
    scores = SCORES.clone().requires_grad_()
    with drawing() as draws:
        module(scores, REAL, QUERY, FIRST)
    nothing = torch.zeros(1, 1, dtype=torch.float64)
    policy_gradient(draws, nothing, torch.ones(1, 1, dtype=torch.bool)).backward()
    again = SCORES.clone().requires_grad_()
    probabilities = again[0, 0, :3].softmax(-1)
    (-0.7 * -(probabilities * probabilities.log()).sum()).backward()
    torch.testing.assert_close(scores.grad, again.grad)


def test_a_draw_is_rewarded_for_all_words_after_it_and_for_none_before_or_on_padding():
    """Two sentences of three and two words, drawn for word by word; the loss by hand."""
    module = Reinforced(entropy_bonus=0.0).double().train()
    module.baseline.fill_(-0.5)
    words = torch.tensor([[-0.1, -0.2, -0.4], [-0.8, -1.6, -99.0]], dtype=torch.float64)
    real = torch.tensor([[True, True, True], [True, True, False]])
    scores = [SCORES.expand(2, -1, -1).clone().requires_grad_() for _ in range(3)]
    torch.manual_seed(1)
    with drawing() as draws:
        weights = [module(each, REAL.expand(2, -1), QUERY.expand(2, -1, -1), FIRST) for each in scores]
    policy_gradient(draws, words, real).backward()
    advantages = [[-0.7 + 1.5, -0.6 + 1.0, -0.4 + 0.5], [-2.4 + 1.0, -1.6 + 0.5, 0.0]]
    probabilities = [*SCORES[0, 0, :3].softmax(-1).tolist(), 0.0]
    for row in range(2):
        for t in range(3):
            place = weights[t][row, 0].argmax().item()
            expected = [-advantages[row][t] * ((j == place) - probabilities[j]) for j in range(4)]
            assert scores[t].grad[row, 0].tolist() == pytest.approx(expected, abs=1e-12)
    assert module.baseline.item() == pytest.approx(0.9 * -0.5 + 0.1 * (-3.1 / 5))


def test_the_first_baseline_is_the_first_reward_and_none_is_ever_not_finite():
    module = Reinforced()
    assert module.update_baseline(torch.tensor(-3.0)).item() == -3.0
    assert module.baseline.item() == pytest.approx(-3.0)
    assert module.update_baseline(torch.tensor(float("nan"))).item() == pytest.approx(-3.0)
    assert module.baseline.item() == pytest.approx(-3.0)


def test_one_position_is_drawn_as_often_as_the_softmax_says_and_the_best_is_taken_afterwards():
    torch.manual_seed(5)
    many = 20_000
    module = Reinforced().double()
    drawn = module(SCORES.expand(many, -1, -1), REAL.expand(many, -1), QUERY.expand(many, -1, -1), FIRST)
    expected = [*SCORES[0, 0, :3].softmax(-1).tolist(), 0.0]
    assert drawn.mean(0)[0].tolist() == pytest.approx(expected, abs=0.015)
    assert module.eval()(SCORES, REAL, QUERY, FIRST).flatten().tolist() == [1, 0, 0, 0]


def test_draws_go_to_the_innermost_block_alone():
    module = Reinforced().double().train()
    with drawing() as outer:
        with drawing() as inner:
            module(SCORES, REAL, QUERY, FIRST)
        assert (len(outer), len(inner)) == (0, 1)
    module(SCORES, REAL, QUERY, FIRST)
    assert (len(outer), len(inner)) == (0, 1)
