"""Score functions: each against its formula in plain loops, and what follows from the formulas."""

import math
from collections.abc import Callable
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.scores import (
    ActivatedGeneral,
    Additive,
    Concat,
    Cosine,
    Dot,
    General,
    Indifferent,
    Location,
    Score,
    ScoreName,
    score,
)
from saccade.errors import ConfigError

NAMES = get_args(ScoreName)
EQUALLY_WIDE = ("dot", "scaled-dot", "cosine")
INNER, PLACES = 5, 4


def noisy(scoring: Score) -> Score:
    scoring = scoring.double()
    with torch.no_grad():
        for parameter in scoring.parameters():
            parameter.normal_()
    return scoring


def scores_of(scoring: Score, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return scoring(queries, scoring.prepare(keys))


def product(first: torch.Tensor, second: torch.Tensor) -> float:
    return sum(a * b for a, b in zip(first.tolist(), second.tolist(), strict=True))


def additive(scoring: Additive, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    hidden = [math.tanh(product(scoring.query.weight[i], q) + product(scoring.key.weight[i], k)) for i in range(INNER)]
    return sum(w * h for w, h in zip(scoring.vector.tolist(), hidden, strict=True))


def concat(scoring: Concat, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    hidden = [math.tanh(product(scoring.weight[i], torch.cat([q, k]))) for i in range(INNER)]
    return sum(w * h for w, h in zip(scoring.vector.tolist(), hidden, strict=True))


def location(scoring: Location, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return product(scoring.query.weight[place], q) if place < PLACES else torch.finfo(torch.float64).min


def dot(scoring: Dot, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return product(q, k)


def scaled_dot(scoring: Dot, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return product(q, k) / math.sqrt(len(k))


def general(scoring: General, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return sum(k[i].item() * product(scoring.query.weight[i], q) for i in range(len(k)))  # k^T W q


def biased_general(scoring: General, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return general(scoring, q, k, place) + product(k, scoring.query.bias)


def activated_general(scoring: ActivatedGeneral, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return math.tanh(general(scoring, q, k, place) + scoring.bias.item())


def cosine(scoring: Cosine, q: torch.Tensor, k: torch.Tensor, place: int) -> float:
    return math.exp(scoring.log_factor.item()) * product(q, k) / math.sqrt(product(q, q) * product(k, k))


FORMULAS: dict[str, Callable[..., float]] = {
    "additive": additive,
    "concat": concat,
    "dot": dot,
    "scaled-dot": scaled_dot,
    "general": general,
    "biased-general": biased_general,
    "activated-general": activated_general,
    "cosine": cosine,
    "location": location,
}


def test_there_is_a_formula_for_every_score():
    assert set(FORMULAS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(
    sizes=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 7), st.integers(1, 6), st.integers(1, 6)),
    seed=st.integers(0, 2**31),
)
@torch.no_grad()
def test_the_formula(name, sizes, seed):
    batch, query, key, query_width, key_width = sizes
    if name in EQUALLY_WIDE:
        key_width = query_width
    torch.manual_seed(seed)
    scoring = noisy(score(name, query_width, key_width, INNER, PLACES))
    queries = torch.randn(batch, query, query_width, dtype=torch.float64)
    keys = torch.randn(batch, key, key_width, dtype=torch.float64)
    found = scores_of(scoring, queries, keys)
    assert found.shape == (batch, query, key)
    for b in range(batch):
        for i in range(query):
            for j in range(key):
                expected = FORMULAS[name](scoring, queries[b, i], keys[b, j], j)
                assert found[b, i, j].item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_reach_every_parameter_and_both_sides(name):
    torch.manual_seed(3)
    scoring = noisy(score(name, 7, 7, INNER, 13))
    queries = torch.randn(2, 3, 7, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(2, 5, 7, dtype=torch.float64, requires_grad=True)
    scores_of(scoring, queries, keys).softmax(-1)[..., 0].sum().backward()
    for parameter in scoring.parameters():
        assert parameter.grad.abs().sum() > 0
    assert queries.grad.abs().sum() > 0
    assert (keys.grad is None) == (name == "location")  # which is from the query alone


@pytest.fixture
def queries() -> torch.Tensor:
    torch.manual_seed(17)
    return torch.randn(2, 3, 7, dtype=torch.float64)


@pytest.fixture
def keys() -> torch.Tensor:
    torch.manual_seed(19)
    return torch.randn(2, 5, 7, dtype=torch.float64)


@torch.no_grad()
def test_dot_is_general_with_the_identity(queries, keys):
    plain = General(7, 7).double()
    plain.query.weight.copy_(torch.eye(7))
    torch.testing.assert_close(scores_of(plain, queries, keys), scores_of(Dot(), queries, keys))


@torch.no_grad()
def test_scaled_dot_is_dot_divided_by_the_root_of_the_width(queries, keys):
    scaled = score("scaled-dot", 7, 7, INNER, PLACES)
    torch.testing.assert_close(scores_of(scaled, queries, keys), scores_of(Dot(), queries, keys) / 7**0.5)


@torch.no_grad()
def test_biased_general_without_its_bias_is_general(queries, keys):
    biased, plain = noisy(General(7, 7, bias=True)), General(7, 7).double()
    plain.query.weight.copy_(biased.query.weight)
    biased.query.bias.zero_()
    torch.testing.assert_close(scores_of(biased, queries, keys), scores_of(plain, queries, keys))


@torch.no_grad()
def test_the_bias_of_biased_general_is_a_prior_on_keys_that_no_query_changes(queries, keys):
    biased, plain = noisy(General(7, 7, bias=True)), General(7, 7).double()
    plain.query.weight.copy_(biased.query.weight)
    prior = scores_of(biased, queries, keys) - scores_of(plain, queries, keys)
    torch.testing.assert_close(prior, (keys @ biased.query.bias).unsqueeze(1).expand_as(prior))


@torch.no_grad()
def test_additive_and_concat_are_one_with_the_matrices_side_by_side(queries, keys):
    apart, joined = noisy(Additive(7, 7, INNER)), Concat(7, 7, INNER).double()
    joined.weight.copy_(torch.cat([apart.query.weight, apart.key.weight], dim=1))
    joined.vector.copy_(apart.vector)
    torch.testing.assert_close(scores_of(joined, queries, keys), scores_of(apart, queries, keys))


@torch.no_grad()
def test_what_does_not_depend_on_the_key_cancels_in_the_softmax(queries, keys):
    scores = scores_of(noisy(General(7, 7)), queries, keys)
    torch.testing.assert_close((scores + queries.sum(-1, keepdim=True)).softmax(-1), scores.softmax(-1))


@settings(max_examples=30)
@given(count=st.integers(1, 11), seed=st.integers(0, 2**31), stretch=st.floats(0.01, 100.0))
@torch.no_grad()
def test_a_cosine_without_a_learned_factor_cannot_become_sharp(count, seed, stretch):
    torch.manual_seed(seed)
    queries, keys = torch.randn(1, 2, 3, dtype=torch.float64), stretch * torch.randn(1, count, 3, dtype=torch.float64)
    keys[0, 0] = queries[0, 0]
    keys[0, 1:] = -queries[0, 0]
    scores = scores_of(Cosine(), queries, keys)
    assert (scores.abs() <= 1 + 1e-12).all()
    bound = math.exp(2) / (math.exp(2) + count - 1)
    assert scores.softmax(-1).amax().item() == pytest.approx(bound)


@torch.no_grad()
def test_a_learned_factor_makes_a_cosine_as_sharp_as_is_wanted(queries, keys):
    sharp = Cosine().double()
    sharp.log_factor.fill_(math.log(1000))
    keys[:, 2] = queries[:, 1]
    assert scores_of(sharp, queries, keys).softmax(-1)[:, 1, 2].min() > 0.999


@torch.no_grad()
def test_an_activated_score_lets_no_weight_be_more_than_e_squared_times_another(queries, keys):
    weights = scores_of(noisy(ActivatedGeneral(7, 7)), 100 * queries, 100 * keys).softmax(-1)
    assert (weights.amax(-1) / weights.amin(-1)).max() <= math.exp(2) + 1e-9


@torch.no_grad()
def test_location_hears_no_key_and_gives_nothing_to_places_it_does_not_know(queries, keys):
    scoring = noisy(Location(7, PLACES))
    assert torch.equal(scores_of(scoring, queries, keys), scores_of(scoring, queries, -keys))
    assert torch.equal(scores_of(scoring, queries, keys).softmax(-1)[..., PLACES:], torch.zeros(2, 3, 1).double())


@torch.no_grad()
def test_indifference_takes_the_mean(queries, keys):
    weights = scores_of(Indifferent(), queries, keys).softmax(-1)
    torch.testing.assert_close(weights @ keys, keys.mean(1, keepdim=True).expand(-1, 3, -1))


@pytest.mark.parametrize("name", NAMES)
def test_widths_may_differ_unless_the_two_are_multiplied(name):
    if name in EQUALLY_WIDE:
        with pytest.raises(ConfigError, match="both must be equally wide, but they have 3 and 5 numbers"):
            score(name, 3, 5, INNER, PLACES)
    else:
        scoring = score(name, 3, 5, INNER, PLACES)
        assert scores_of(scoring, torch.randn(2, 7, 3), torch.randn(2, 4, 5)).shape == (2, 7, 4)


def test_an_additive_score_begins_with_no_preference():
    torch.manual_seed(3)
    scoring = Additive(101, 103, 107)
    assert not scoring.vector.any()
    for matrix in (scoring.query.weight, scoring.key.weight):
        assert matrix.std().item() == pytest.approx(0.001, rel=0.05)


def test_a_square_general_score_begins_close_to_the_dot_product():
    torch.manual_seed(3)
    matrix = General(101, 101).query.weight - torch.eye(101)
    assert matrix.std().item() == pytest.approx(0.01, rel=0.05)
    assert abs(matrix.diagonal().mean().item()) < 0.01
