"""Alignment functions: each against its formula in plain loops, and what holds for all of them."""

import math
from itertools import combinations
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.alignment import Diagonal, Hard, LocalMonotonic, LocalPredictive, Soft, softmax_where
from saccade.attention.alignment_catalogue import AlignmentName, alignment

NAMES = get_args(AlignmentName)
REACH, WIDTH, TOP = 2, 5, 3
SUM_TO_ONE = ("soft", "hard", "diagonal", "top-k", "sparsemax", "reinforced")
KNOW_NO_ZERO = ("sigmoid", "reinforced-subset")
"""Where what is added to all scores changes something."""


def softmax(scores: list[float], seen: list[bool]) -> list[float]:
    total = sum(math.exp(e) for e, s in zip(scores, seen, strict=True) if s)
    return [math.exp(e) / total if s else 0.0 for e, s in zip(scores, seen, strict=True)]


def projected(scores: list[float]) -> list[float]:
    """The nearest point of the simplex, by trying every set of keys that could have weight: no sorting, no threshold.

    On the keys S that have weight, the nearest point with sum one is e_l + (1 - sum of S) / |S|; of all those that are
    nowhere negative the nearest is the projection.
    """
    found = []
    for size in range(1, len(scores) + 1):
        for kept in combinations(range(len(scores)), size):
            shift = (1 - sum(scores[j] for j in kept)) / size
            point = [scores[j] + shift if j in kept else 0.0 for j in range(len(scores))]
            if min(point) >= 0:
                found.append((sum((p - e) ** 2 for p, e in zip(point, scores, strict=True)), point))
    return min(found)[1]


def formula(name: str, module, scores: list[float], length: int, query: torch.Tensor, t: int) -> list[float]:
    """The weights of one query at position t over a row with `length` real keys."""
    places = range(len(scores))
    real = [j < length for j in places]
    if name == "soft":
        return softmax(scores, real)
    if name in ("hard", "reinforced"):
        best = max(range(length), key=lambda j: scores[j])
        return [float(j == best) for j in places]
    if name == "sigmoid":
        return [1 / (1 + math.exp(-e)) if r else 0.0 for e, r in zip(scores, real, strict=True)]
    if name == "top-k":
        best = sorted(range(length), key=lambda j: -scores[j])[:TOP]
        return softmax(scores, [j in best for j in places])
    if name == "sparsemax":
        return [*projected(scores[:length]), *[0.0] * (len(scores) - length)]
    if name == "reinforced-subset":
        slope, bias = math.exp(module.log_slope.item()), module.bias.item()
        opened = [real[j] and slope * scores[j] + bias > 0 for j in places]
        return softmax(scores, opened) if any(opened) else [0.0 for _ in places]
    if name == "local-m":
        return softmax(scores, [real[j] and abs(j - t) <= REACH for j in places])
    if name == "diagonal":
        centre = min(t, length - 1)
        return softmax([-((j - centre) ** 2) / (2 * module.spread**2) for j in places], real)
    inside = [math.tanh((module.inner.weight[i] * query).sum().item()) for i in range(WIDTH)]
    p = length / (1 + math.exp(-sum(v * h for v, h in zip(module.vector.tolist(), inside, strict=True))))
    weights = softmax(scores, [real[j] and abs(j - p) <= REACH for j in places])
    return [weights[j] * math.exp(-((j - p) ** 2) / (2 * (REACH / 2) ** 2)) for j in places]


def noisy(name: AlignmentName):
    module = alignment(name, WIDTH, REACH, TOP).double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


@st.composite
def situations(draw):
    batch, query, key = draw(st.integers(1, 3)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    lengths = draw(st.lists(st.integers(1, key), min_size=batch, max_size=batch))
    torch.manual_seed(draw(st.integers(0, 2**31)))
    scores = 3 * torch.randn(batch, query, key, dtype=torch.float64)
    real = torch.arange(key) < torch.tensor(lengths).unsqueeze(1)
    return scores, real, torch.randn(batch, query, WIDTH, dtype=torch.float64), torch.arange(query).unsqueeze(0)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(situation=situations())
@torch.no_grad()
def test_the_formula(name, situation):
    scores, real, queries, positions = situation
    module = noisy(name)
    found = module(scores, real, queries, positions)
    for row in range(len(scores)):
        for t in range(scores.shape[1]):
            expected = formula(name, module, scores[row, t].tolist(), int(real[row].sum()), queries[row, t], t)
            assert found[row, t].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(situation=situations())
@torch.no_grad()
def test_no_weight_is_negative_or_on_padding_and_together_they_are_at_most_one(name, training, situation):
    scores, real, queries, positions = situation
    weights = noisy(name).train(training)(scores, real, queries, positions)
    assert (weights >= -1e-12).all()
    assert (weights.masked_select(~real.unsqueeze(1)) == 0).all()
    sums = weights.sum(-1)
    if name in SUM_TO_ONE:
        torch.testing.assert_close(sums, torch.ones_like(sums))
    assert name == "sigmoid" or (sums <= 1 + 1e-12).all()


@settings(max_examples=25)
@given(situation=situations(), shift=st.floats(-50, 50))
@torch.no_grad()
def test_what_is_added_to_all_scores_changes_nothing(situation, shift):
    scores, *rest = situation
    for name in set(NAMES) - set(KNOW_NO_ZERO):
        module = noisy(name)
        torch.testing.assert_close(module(scores + shift, *rest), module(scores, *rest))


@settings(max_examples=25)
@given(situation=situations())
@torch.no_grad()
def test_soft_is_hard_for_large_scores_and_a_mean_for_small_ones(situation):
    scores, real, queries, positions = situation
    hard = Hard().eval()(scores, real, queries, positions)
    torch.testing.assert_close(Soft()(1e9 * scores, real, queries, positions), hard)
    mean = (real / real.sum(-1, keepdim=True)).double().unsqueeze(1).expand_as(scores)
    torch.testing.assert_close(Soft()(1e-12 * scores, real, queries, positions), mean)


REAL = torch.tensor([[True, True, True, True, True, False, False]])
SCORES = torch.tensor([[[0.3, -1.0, 0.9, 0.1, -0.5, 4.0, 4.0]]], dtype=torch.float64)
QUERY = torch.zeros(1, 1, WIDTH, dtype=torch.float64)
FIRST = torch.zeros(1, 1, dtype=torch.int64)


def test_hard_draws_each_position_as_often_as_the_softmax_says():
    torch.manual_seed(5)
    many = 20_000
    drawn = Hard()(
        SCORES.expand(many, -1, -1), REAL.expand(many, -1), QUERY.expand(many, -1, -1), FIRST.expand(many, -1)
    )
    assert torch.equal(drawn.round().sum(-1), torch.ones(many, 1, dtype=torch.float64))
    expected = softmax(SCORES.flatten().tolist(), REAL.flatten().tolist())
    assert drawn.mean(0).flatten().tolist() == pytest.approx(expected, abs=0.015)


def test_the_gradient_of_a_hard_choice_is_that_of_the_softmax_it_was_drawn_from():
    values = torch.arange(7, dtype=torch.float64)
    scores = SCORES.clone().requires_grad_()
    torch.manual_seed(5)
    (Hard()(scores, REAL, QUERY, FIRST) @ values).sum().backward()
    torch.manual_seed(5)
    noisy_scores = (SCORES - torch.empty_like(SCORES).exponential_().log()).requires_grad_()
    (softmax_where(noisy_scores, REAL.unsqueeze(1)) @ values).sum().backward()
    torch.testing.assert_close(scores.grad, noisy_scores.grad)
    assert scores.grad.abs().sum() > 0


def test_a_hard_choice_that_is_no_longer_trained_involves_no_luck_and_has_no_gradient():
    scores = SCORES.clone().requires_grad_()
    weights = [Hard().eval()(scores, REAL, QUERY, FIRST) for _ in range(5)]
    assert all(torch.equal(each, weights[0]) and not each.requires_grad for each in weights)
    assert weights[0].flatten().tolist() == [0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(("t", "window"), [(0, {0, 1, 2}), (2, {0, 1, 2, 3, 4}), (5, {3, 4}), (6, {4}), (7, set())])
def test_a_monotonic_window_stays_inside_the_sentence_and_may_leave_it(t, window):
    weights = LocalMonotonic(REACH)(SCORES, REAL, QUERY, torch.tensor([[t]]))
    assert set(weights.flatten().nonzero().flatten().tolist()) == window


@torch.no_grad()
def test_a_predicted_window_is_around_the_prediction_and_damped_away_from_it():
    module = noisy("local-p")
    centre = module.centre(QUERY, REAL, torch.zeros(1, 1, dtype=torch.int64)).item()
    assert centre == 2.5  # S sigma(0), for five real positions
    weights = module(torch.zeros_like(SCORES), REAL, QUERY, FIRST).flatten()
    assert set(weights.nonzero().flatten().tolist()) == {1, 2, 3, 4}
    assert weights[2] == weights[3] > weights[1] == weights[4]
    assert weights.sum() < 1


def test_a_window_in_a_long_sentence_is_where_it_is_predicted_also_in_mixed_precision():
    torch.manual_seed(3)
    local, keys, count = LocalPredictive(WIDTH, reach=10), 1009, 11
    real, queries, positions = torch.ones(1, keys) > 0, 3 * torch.randn(1, count, WIDTH), torch.arange(count)[None]
    scores = torch.randn(1, count, keys)
    exact = local.centre(queries, real, positions)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(local.centre(queries, real, positions), exact)
        mixed = local(scores, real, queries, positions)
    assert mixed.nonzero().tolist() == local(scores, real, queries, positions).nonzero().tolist()


def test_a_model_that_is_in_bfloat16_stays_in_it():
    local, keys = LocalPredictive(WIDTH, reach=10).bfloat16(), 1009
    real = torch.ones(1, keys, dtype=torch.bool)
    queries, scores = torch.randn(1, 1, WIDTH).bfloat16(), torch.randn(1, 1, keys).bfloat16()
    assert local(scores, real, queries, torch.zeros(1, 1, dtype=torch.long)).dtype == torch.bfloat16


def test_the_prediction_of_a_window_can_learn():
    torch.manual_seed(5)
    module = noisy("local-p")
    query = torch.randn(1, 1, WIDTH, dtype=torch.float64)
    (module(SCORES, REAL, query, FIRST) @ torch.arange(7, dtype=torch.float64)).sum().backward()
    assert module.inner.weight.grad.abs().sum() > 0
    assert module.vector.grad.abs().sum() > 0


def test_a_diagonal_moves_one_to_one_and_waits_at_the_last_word():
    many = torch.zeros(1, 9, 7, dtype=torch.float64)
    weights = Diagonal()(many, REAL, QUERY.expand(-1, 9, -1), torch.arange(9).unsqueeze(0))
    assert weights.argmax(-1).flatten().tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 4]


@torch.no_grad()
def test_positions_may_differ_from_row_to_row():
    scores, real = SCORES.expand(2, -1, -1), REAL.expand(2, -1)
    weights = LocalMonotonic(1)(scores, real, QUERY.expand(2, -1, -1), torch.tensor([[0], [3]]))
    assert [row.nonzero().flatten().tolist() for row in weights[:, 0]] == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("width", [5, 7])
def test_a_window_in_which_no_place_has_a_score_takes_nothing(width):
    """As past the last row of a location score: the weights there must not depend on how wide the row is."""
    scores = torch.full((1, 1, width), torch.finfo(torch.float64).min, dtype=torch.float64)
    scores[..., 0] = 0.5
    real = torch.arange(width).unsqueeze(0) < 5
    near = (torch.arange(width) >= 2).view(1, 1, -1)
    assert softmax_where(scores, near & real.unsqueeze(1)).tolist() == [[[0.0] * width]]
    assert softmax_where(scores, real.unsqueeze(1)).tolist() == [[[1.0, *[0.0] * (width - 1)]]]
