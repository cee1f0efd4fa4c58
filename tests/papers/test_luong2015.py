"""Luong et al. 2015, written out position by position and number by number, against saccade's model."""

import math
from itertools import product

import pytest
import torch
from tests.papers.plain_positions import (
    TARGETS,
    assert_begins_uniformly,
    assert_step_by_step,
    logistic,
    nothing,
    numbers_of,
    sides_of,
    up_the_layers,
)

from saccade.models.luong import Luong, LuongConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCES = [[7, 5, 9, 12, 4, 4, 8, 11, 6, EOS], [11, EOS], [6, 6, 8, EOS]]
WIDTH, LAYERS, REACH = 7, 2, 2


def plain_score(name, numbers, query, keys):
    """Equation 8, and the location-based function of equation 9."""
    match name:
        case "dot":
            return [query @ key for key in keys]
        case "general":
            return [key @ (numbers["attention.score.query.weight"] @ query) for key in keys]
        case "concat":
            matrix, vector = numbers["attention.score.weight"], numbers["attention.score.vector"]
            return [vector @ torch.tanh(matrix @ torch.cat([query, key])) for key in keys]
        case "location":
            places = numbers["attention.score.query.weight"] @ query
            return [places[s] if s < len(places) else torch.tensor(-math.inf) for s in range(len(keys))]


def plain_weights(config, numbers, query, keys, position):
    scores = plain_score(config.score, numbers, query, keys)
    length = len(keys)
    match config.alignment:
        case "soft":
            inside, bell = range(length), [1.0] * length
        case "local-m":
            inside, bell = [s for s in range(length) if position - REACH <= s <= position + REACH], [1.0] * length
        case "local-p":
            inner = torch.tanh(numbers["attention.alignment.inner.weight"] @ query)
            centre = (length * logistic(numbers["attention.alignment.vector"] @ inner)).item()
            inside = [s for s in range(length) if centre - REACH <= s <= centre + REACH]
            bell = [math.exp(-((s - centre) ** 2) / (2 * (REACH / 2) ** 2)) for s in range(length)]
    total = sum(math.exp(scores[s]) for s in inside)
    return [math.exp(scores[s]) / total * bell[s] if s in inside else 0.0 for s in range(length)]


def plain(model, source, target):
    """The logits and the alignment of one pair; nothing of saccade's layers is used, only their numbers."""
    config = model.config
    numbers = numbers_of(model)
    reader, writer = sides_of(numbers)
    states = nothing(WIDTH, LAYERS)
    words = list(range(len(source) - 1))
    keys = [None] * len(source)
    for place in [*(reversed(words) if config.reverse_source else words), len(source) - 1]:
        keys[place] = up_the_layers(reader, numbers["source_embedding.weight"][source[place]], states)
    attentional = torch.zeros(WIDTH, dtype=torch.float64)
    logits, weights = [], []
    for position, token in enumerate([BOS, *target[:-1]]):
        below = numbers["target_embedding.weight"][token]
        if config.input_feeding:
            below = torch.cat([below, attentional])
        top = up_the_layers(writer, below, states)
        weights.append(plain_weights(config, numbers, top, keys, position))
        context = sum(weight * key for weight, key in zip(weights[-1], keys, strict=True))
        attentional = torch.tanh(numbers["combine.weight"] @ torch.cat([context, top]))
        logits.append(numbers["output.weight"] @ attentional)
    return torch.stack(logits), torch.tensor(weights, dtype=torch.float64)


def model_with(**changes) -> Luong:
    torch.manual_seed(3)
    sizes = {"width": WIDTH, "layers": LAYERS, "reach": REACH, "initial_range": 0.9}
    return Luong(LuongConfig(**sizes | changes), 13, 17).double().eval()


@pytest.mark.parametrize("feeding", [True, False], ids=["feeding", "no feeding"])
@pytest.mark.parametrize(
    ("score", "alignment"), [*product(["dot", "general", "concat", "location"], ["soft", "local-m", "local-p"])]
)
@torch.no_grad()
def test_the_equations_with_teacher_forcing(score, alignment, feeding):
    # The longest source has more words than a location score has places, unless a window could then find none at all.
    places = 5 if alignment == "soft" else 11
    model = model_with(score=score, alignment=alignment, input_feeding=feeding, location_length=places)
    source, target = Sequences.of(SOURCES), Sequences.of(TARGETS)
    memory = model.encode(source)
    logits, weights = model.decode(target.reads, memory), model.align(target, memory)
    for row, (one, other) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        expected_logits, expected_weights = plain(model, one, other)
        torch.testing.assert_close(logits[row, : len(other)], expected_logits, rtol=0, atol=1e-12)
        torch.testing.assert_close(weights[row, : len(other), : len(one)], expected_weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("reverse", [True, False], ids=["reversed", "as it is"])
@torch.no_grad()
def test_the_equations_step_by_step(reverse):
    model = model_with(reverse_source=reverse)
    assert_step_by_step(model, lambda *pair: plain(*pair)[0], SOURCES[0], TARGETS[1])


def test_feeding_doubles_the_input_of_the_first_layer_alone():
    """Section 3.3: the first layer then reads twice n numbers."""
    with torch.device("meta"):
        fed, plain_ = (Luong(LuongConfig(input_feeding=feeding), 50_000, 50_000) for feeding in (True, False))
    sizes = [dict(model.decoder.program.named_parameters()) for model in (fed, plain_)]
    assert sizes[0]["weight_ih_l0"].shape == (4 * 1000, 2 * 1000)
    assert {name for name in sizes[0] if sizes[0][name].shape != sizes[1][name].shape} == {"weight_ih_l0"}


def test_every_parameter_starts_uniform_within_a_tenth():
    torch.manual_seed(6)
    model = Luong(LuongConfig(width=67, layers=2, initial_range=0.1), 101, 103)
    assert_begins_uniformly(model, 0.1)


def test_parameters_start_as_in_the_paper_at_its_width_and_as_far_apart_at_others():
    assert LuongConfig().largest_weight == pytest.approx(0.1)
    # Sums over a quarter of the width vary as much with weights twice as large.
    assert LuongConfig(width=250).largest_weight == pytest.approx(0.2)
    assert LuongConfig(width=250, initial_range=0.3).largest_weight == 0.3
