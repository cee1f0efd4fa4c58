"""Two cursors: the dynamic programme against every single way."""

import math
from itertools import combinations_with_replacement

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from saccade.attention.two_cursors import trajectories


def ways(write: list[list[float]], emission: list[list[float]], source: int, target: int) -> list[tuple]:
    """Every way, as the places at which words are written, with its probability and that of the words on it."""
    found = []
    for places in combinations_with_replacement(range(source), target):
        chance, words, at = 1.0, 1.0, 0
        for t, place in enumerate(places):
            for passed in range(at, place):
                chance *= 1 - write[t][passed]
            chance *= 1.0 if place == source - 1 else write[t][place]
            words *= emission[t][place]
            at = place
        found.append((places, chance, words))
    return found


@st.composite
def sentences(draw):
    source, target, padding = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(0, 2))
    torch.manual_seed(draw(st.integers(0, 2**31)))
    scores, emissions = 2 * torch.randn(2, 1, target, source + padding, dtype=torch.float64)
    return scores, -emissions.abs(), torch.arange(source + padding).unsqueeze(0) < source


@settings(max_examples=40, deadline=None)
@given(case=sentences())
def test_the_sum_over_all_ways(case):
    scores, emissions, real = case
    found = trajectories(*case)
    source, target = int(real.sum()), scores.shape[1]
    write, emission = scores[0].sigmoid().tolist(), emissions[0].exp().tolist()
    every = ways(write, emission, source, target)
    assert math.isclose(sum(chance for _, chance, _ in every), 1.0)
    assert found.log_likelihood.sum().exp().item() == pytest.approx(sum(c * w for _, c, w in every))
    # Before the last word: where the cursor is, given the words before it.
    before = [(places[-1], chance * words / emission[-1][places[-1]]) for places, chance, words in every]
    total = sum(weight for _, weight in before)
    expected = [sum(weight for place, weight in before if place == i) / total for i in range(source)]
    assert found.weights[0, -1, :source].tolist() == pytest.approx(expected)
    assert (found.weights[..., source:] == 0).all()


def test_gradients_are_finite_where_a_way_is_impossible():
    scores = torch.tensor([[[80.0, -80.0, 0.0], [-80.0, 80.0, 0.0]]], requires_grad=True)
    found = trajectories(scores, torch.zeros(1, 2, 3), torch.tensor([[True, True, False]]))
    assert found.weights[0].round().tolist() == [[1, 0, 0], [0, 1, 0]]
    found.log_likelihood.sum().backward()
    assert scores.grad.isfinite().all()


def test_padding_changes_nothing_however_improbable_a_long_target_is():
    torch.manual_seed(0)
    source, padding, target = 5, 3, 1009
    scores, emissions = torch.randn(1, target, source), torch.full((1, target, source), -11.0)
    real = torch.arange(source + padding).unsqueeze(0) < source
    alone = trajectories(scores, emissions, real[:, :source])
    wide = functional.pad(scores, (0, padding)).requires_grad_()
    padded = trajectories(wide, functional.pad(emissions, (0, padding)), real)
    assert alone.log_likelihood.sum().item() == pytest.approx(-11 * target)
    torch.testing.assert_close(padded.log_likelihood, alone.log_likelihood)
    torch.testing.assert_close(padded.weights[..., :source], alone.weights)
    padded.log_likelihood.sum().backward()
    assert wide.grad.isfinite().all()


def test_the_cursor_never_goes_back():
    torch.manual_seed(1)
    weights = trajectories(torch.randn(3, 9, 7), torch.zeros(3, 9, 7), torch.ones(3, 7, dtype=torch.bool)).weights
    passed = weights.cumsum(-1)
    assert (passed[:, 1:] <= passed[:, :-1] + 1e-5).all()
