"""Members of the survey's taxonomy beyond score and alignment, each against its equation in plain loops."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.alignment import Soft
from saccade.attention.capsule import CapsuleAttention
from saccade.attention.co_attention import (
    AlternatingCoAttention,
    AttentivePooling,
    InteractiveCoAttention,
    MultiGrainedCoAttention,
    ParallelCoAttention,
    mean_of,
)
from saccade.attention.hierarchical import AttentionViaAttention, HierarchicalAttention
from saccade.attention.learned_query import LearnedQueryAttention
from saccade.attention.multi_dimensional import MultiDimensionalAttention
from saccade.attention.multi_representational import MultiRepresentationalAttention
from saccade.attention.recording import recording
from saccade.attention.rotatory import RotatoryAttention
from saccade.attention.scores import Additive, General
from saccade.attention.single_query import Attention

BATCH, FIRST, SECOND, WIDE, NARROW, HIDDEN = 2, 4, 3, 5, 2, 7
Vector = list[float]


def softmax(scores: Vector) -> Vector:
    total = sum(map(math.exp, scores))
    return [math.exp(e) / total for e in scores]


def dot(x: Vector, y: Vector) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True))


def times(matrix: list[Vector], vector: Vector) -> Vector:
    return [dot(row, vector) for row in matrix]


def mixed(weights: Vector, items: list[Vector]) -> Vector:
    return [sum(a * item[f] for a, item in zip(weights, items, strict=True)) for f in range(len(items[0]))]


def tanh(*vectors: Vector) -> Vector:
    return [math.tanh(sum(parts)) for parts in zip(*vectors, strict=True)]


def mean(items: list[Vector]) -> Vector:
    return [sum(column) / len(items) for column in zip(*items, strict=True)]


def general(query: Vector, items: list[Vector], module: Attention) -> Vector:
    asked = times(module.score.query.weight.tolist(), query)
    return mixed(softmax([dot(item, asked) for item in items]), items)


def learned(items: list[Vector], module: LearnedQueryAttention) -> Vector:
    weight, bias, query = module.key.weight.tolist(), module.key.bias.tolist(), module.query.tolist()
    return mixed(softmax([dot(query, tanh(times(weight, item), bias)) for item in items]), items)


def looking(query_width: int, width: int) -> Attention:
    return Attention(General(query_width, width), Soft())


def noisy(module):
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.7)
    return module.double()


def items(count: int, width: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Two rows, of which the second ends in a padding of large numbers."""
    generator = torch.Generator().manual_seed(seed + 31 * count)
    states = torch.randn(BATCH, count, width, generator=generator, dtype=torch.float64)
    real = torch.ones(BATCH, count, dtype=torch.bool)
    states[1, -1], real[1, -1] = 50.0, False
    return states, real


def rows(states: torch.Tensor, real: torch.Tensor, row: int) -> list[Vector]:
    return states[row][real[row]].tolist()


def close(found: torch.Tensor, expected: Vector) -> None:
    assert found.tolist() == pytest.approx(expected, abs=1e-10)


@torch.no_grad()
def test_multi_dimensional_attention():
    module = noisy(MultiDimensionalAttention(NARROW, WIDE, SECOND, HIDDEN))
    (keys, real), (values, _), query = items(FIRST, WIDE), items(FIRST, SECOND, 1), items(1, NARROW)[0]
    found = module(query, keys, values, real)
    w1, w2, b1 = module.query.weight.tolist(), module.key.weight.tolist(), module.key.bias.tolist()
    w, b2 = module.feature.weight.tolist(), module.feature.bias.tolist()
    for row in range(BATCH):
        asked = times(w1, query[row, 0].tolist())
        hidden = [tanh(asked, times(w2, key), b1) for key in rows(keys, real, row)]
        taken = rows(values, real, row)
        expected = []
        for feature in range(SECOND):
            weights = softmax([dot(w[feature], h) + b2[feature] for h in hidden])
            expected.append(sum(a * v[feature] for a, v in zip(weights, taken, strict=True)))
        close(found[row, 0], expected)


@torch.no_grad()
def test_equal_columns_make_multi_dimensional_attention_additive():
    module, additive = noisy(MultiDimensionalAttention(NARROW, WIDE, WIDE, HIDDEN)), Additive(NARROW, WIDE, HIDDEN)
    module.key.bias.zero_()
    module.feature.weight.copy_(module.feature.weight[:1].expand(WIDE, -1))
    additive.double().load_state_dict(
        {"query.weight": module.query.weight, "key.weight": module.key.weight, "vector": module.feature.weight[0]}
    )
    (keys, real), query = items(FIRST, WIDE), items(3, NARROW)[0]
    single = Attention(additive, Soft())
    expected = single(query, single.prepare(keys, keys, real), torch.arange(3).unsqueeze(0))
    torch.testing.assert_close(module(query, keys, keys, real), expected)


@torch.no_grad()
def test_interactive_co_attention():
    module = noisy(InteractiveCoAttention(looking(NARROW, WIDE), looking(WIDE, NARROW)))
    first, second = items(FIRST, WIDE), items(SECOND, NARROW)
    found = module(*first, *second)
    for row in range(BATCH):
        one, other = rows(*first, row), rows(*second, row)
        close(found.first[row], general(mean(other), one, module.first))
        close(found.second[row], general(mean(one), other, module.second))


@torch.no_grad()
def test_alternating_co_attention():
    opening = LearnedQueryAttention(WIDE, HIDDEN)
    module = noisy(AlternatingCoAttention(opening, looking(WIDE, NARROW), looking(NARROW, WIDE)))
    first, second = items(FIRST, WIDE), items(SECOND, NARROW)
    found = module(*first, *second)
    for row in range(BATCH):
        one, other = rows(*first, row), rows(*second, row)
        theirs = general(learned(one, module.opening), other, module.second)
        close(found.second[row], theirs)
        close(found.first[row], general(theirs, one, module.first))


def affinity(one: list[Vector], other: list[Vector], matrix: list[Vector]) -> list[Vector]:
    return [[math.tanh(dot(x, times(matrix, y))) for y in other] for x in one]


@torch.no_grad()
def test_parallel_co_attention():
    module = noisy(ParallelCoAttention(WIDE, NARROW, HIDDEN))
    first, second = items(FIRST, WIDE), items(SECOND, NARROW)
    found = module(*first, *second)
    w1, w2 = module.first.weight.tolist(), module.second.weight.tolist()
    for row in range(BATCH):
        one, other = rows(*first, row), rows(*second, row)
        akin = affinity(one, other, module.affinity.matrix.weight.tolist())
        ours, theirs = [times(w1, x) for x in one], [times(w2, y) for y in other]
        back = [list(column) for column in zip(*akin, strict=True)]
        h1 = [tanh(x, mixed(weights, theirs)) for x, weights in zip(ours, akin, strict=True)]
        h2 = [tanh(y, mixed(weights, ours)) for y, weights in zip(theirs, back, strict=True)]
        v1, v2 = module.first_vector.weight[0].tolist(), module.second_vector.weight[0].tolist()
        close(found.first[row], mixed(softmax([dot(v1, h) for h in h1]), one))
        close(found.second[row], mixed(softmax([dot(v2, h) for h in h2]), other))


@torch.no_grad()
def test_attentive_pooling_and_multi_grained_co_attention():
    fine, coarse = AttentivePooling(WIDE, NARROW), InteractiveCoAttention(looking(NARROW, WIDE), looking(WIDE, NARROW))
    module = noisy(MultiGrainedCoAttention(coarse, fine))
    first, second = items(FIRST, WIDE), items(SECOND, NARROW)
    found, coarsely = module(*first, *second), coarse(*first, *second)
    for row in range(BATCH):
        one, other = rows(*first, row), rows(*second, row)
        akin = affinity(one, other, fine.affinity.matrix.weight.tolist())
        close(found.first[row, WIDE:], mixed(softmax([max(each) for each in akin]), one))
        back = softmax([max(column) for column in zip(*akin, strict=True)])
        close(found.second[row, NARROW:], mixed(back, other))
    assert torch.equal(found.first[:, :WIDE], coarsely.first)
    assert torch.equal(found.second[:, :NARROW], coarsely.second)


@torch.no_grad()
def test_rotatory_attention():
    module = noisy(RotatoryAttention(*(looking(WIDE, WIDE) for _ in range(4))))
    left, phrase, right = items(FIRST, WIDE), items(SECOND, WIDE), items(6, WIDE)
    found = module(*left, *phrase, *right)
    for row in range(BATCH):
        before, own, after = rows(*left, row), rows(*phrase, row), rows(*right, row)
        on_left, on_right = general(mean(own), before, module.left), general(mean(own), after, module.right)
        again = [*general(on_left, own, module.from_left), *general(on_right, own, module.from_right)]
        close(found[row], [*on_left, *again, *on_right])


@torch.no_grad()
def test_a_phrase_at_the_edge_of_its_sentence_finds_nothing_there():
    module = noisy(RotatoryAttention(*(looking(WIDE, WIDE) for _ in range(4))))
    (left, _), phrase, right = items(1, WIDE), items(SECOND, WIDE), items(6, WIDE)
    found = module(left, torch.zeros(BATCH, 1, dtype=torch.bool), *phrase, *right)
    assert (found[:, :WIDE] == 0).all()
    assert found.isfinite().all()


@torch.no_grad()
def test_hierarchical_attention():
    module = noisy(HierarchicalAttention(WIDE, HIDDEN, between=torch.nn.Linear(WIDE, WIDE)))
    words = torch.randn(BATCH, SECOND, FIRST, WIDE, dtype=torch.float64)
    real = torch.ones(BATCH, SECOND, FIRST, dtype=torch.bool)
    real[0, 1, 2:], real[1, 2] = False, False  # a short sentence, and one that is not there
    found = module(words, real)
    weight, bias = module.between.weight.tolist(), module.between.bias.tolist()
    for row in range(BATCH):
        sentences = [learned(rows(words[row], real[row], s), module.words) for s in range(SECOND) if real[row, s].any()]
        between = [[a + b for a, b in zip(times(weight, one), bias, strict=True)] for one in sentences]
        close(found[row], learned(between, module.sentences))


@torch.no_grad()
def test_attention_via_attention():
    module = noisy(AttentionViaAttention(looking(NARROW, WIDE), looking(NARROW + WIDE, HIDDEN)))
    query, high, low = items(1, NARROW)[0][:, 0], items(SECOND, WIDE), items(FIRST, HIDDEN)
    found = module(query, *high, *low)
    for row in range(BATCH):
        above = general(query[row].tolist(), rows(*high, row), module.high)
        below = general([*query[row].tolist(), *above], rows(*low, row), module.low)
        close(found[row], [*above, *below])


@torch.no_grad()
def test_capsules():
    module = noisy(CapsuleAttention(WIDE, SECOND))
    states = items(FIRST, WIDE)
    found = module(*states)
    queries, presence, bias = module.query.weight.tolist(), module.presence.weight.tolist(), module.presence.bias
    for row in range(BATCH):
        own = rows(*states, row)
        for i in range(SECOND):
            context = mixed(softmax([dot(queries[i], item) for item in own]), own)
            logit = dot(presence[i], context) + bias[i].item()
            close(found.contexts[row, i], context)
            assert found.logits[row, i].item() == pytest.approx(logit)
            close(found.reconstructions[row, i], [c / (1 + math.exp(-logit)) for c in context])


@torch.no_grad()
def test_multi_representational_attention():
    module = noisy(MultiRepresentationalAttention([WIDE, NARROW], HIDDEN))
    both = [items(FIRST, WIDE)[0], items(FIRST, NARROW)[0]]
    found = module(both)
    query, bias = module.query.weight[0].tolist(), module.query.bias.item()
    for item in range(FIRST):
        projected = []
        for projection, each in zip(module.projections, both, strict=True):
            moved = times(projection.weight.tolist(), each[0, item].tolist())
            projected.append([a + b for a, b in zip(moved, projection.bias.tolist(), strict=True)])
        weights = softmax([dot(query, each) + bias for each in projected])
        close(found[0, item], mixed(weights, projected))


MODULES = {
    "multi-dimensional": (
        lambda: MultiDimensionalAttention(WIDE, WIDE, WIDE, HIDDEN),
        lambda module, states, real: module(states[:, :1], states, states, real),
    ),
    "learned query": (lambda: LearnedQueryAttention(WIDE, HIDDEN), lambda module, states, real: module(states, real)),
    "capsule": (lambda: CapsuleAttention(WIDE, NARROW), lambda module, states, real: module(states, real)),
    "parallel": (
        lambda: ParallelCoAttention(WIDE, WIDE, HIDDEN),
        lambda module, states, real: module(states, real, states, real),
    ),
    "pooling": (
        lambda: AttentivePooling(WIDE, WIDE),
        lambda module, states, real: module(states, real, states, real),
    ),
}


@pytest.mark.parametrize("name", MODULES)
@settings(max_examples=10, deadline=None)
@given(count=st.integers(1, 6), lengths=st.tuples(st.integers(1, 6), st.integers(1, 6)), seed=st.integers(0, 99))
@torch.no_grad()
def test_recorded_weights_are_a_distribution_over_the_real_items(name, count, lengths, seed):
    make, call = MODULES[name]
    states = torch.randn(2, count, WIDE, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    real = torch.arange(count) < torch.tensor(lengths).clamp(max=count).unsqueeze(1)
    module = noisy(make())
    with recording(module) as record:
        call(module, states, real)
    for weights in record[""]:
        assert (weights >= 0).all()
        assert (weights.masked_select(~real[:, None, None]) == 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


def test_the_mean_of_nothing_is_nothing():
    nothing = torch.zeros(1, 3, dtype=torch.bool)
    assert mean_of(torch.ones(1, 3, 2), nothing).tolist() == [[0, 0]]
