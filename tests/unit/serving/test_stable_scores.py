import copy
import math
from pathlib import Path

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length_penalty import length_penalty
from saccade.decoding.scoring import score_pairs
from saccade.sequences import Pairs, Sequences
from saccade.serving.bundle import Bundle
from saccade.serving.loading import load
from saccade.serving.stable_scores import DIGITS, NOISE, ScoredTokens, StableScores, rounded
from saccade.special_tokens import EOS

SOURCE = (7, 8, 9, EOS)
TARGET = (11, 12, EOS)


@pytest.fixture(scope="module")
def model(folder):
    return Bundle.load(folder, torch.device("cpu")).model


@pytest.fixture(scope="module")
def exact(model):
    """The log-probabilities of TARGET in float64."""
    pairs = Pairs(Sequences.of([SOURCE]), Sequences.of([TARGET]))
    return tuple(score_pairs(copy.deepcopy(model).double(), pairs)[0].tolist())


def settled(model, noisy, penalty=1.0):
    return StableScores(model, torch.device("cpu")).settle([ScoredTokens(SOURCE, TARGET, tuple(noisy), penalty)])[0]


# The noise of a sum is that of the sum, so that each of the three tokens has a third of it.
@given(st.lists(st.floats(-NOISE / 3, NOISE / 3), min_size=3, max_size=3), st.floats(1.0, 3.0))
def test_noise_never_changes_a_printed_digit(model, exact, noise, penalty):
    found = settled(model, [value + error for value, error in zip(exact, noise, strict=True)], penalty)
    assert [rounded(value) for value in found] == [rounded(value) for value in exact]
    assert rounded(math.fsum(found)) == rounded(math.fsum(exact))
    assert rounded(math.fsum(found) / penalty) == rounded(math.fsum(exact) / penalty)


@given(st.floats(-40, 0), st.floats(-NOISE, NOISE))
def test_only_a_number_near_an_edge_is_uncertain(value, error):
    one = ScoredTokens((EOS,), (EOS,), (value,))
    assume(not one.uncertain)
    assert rounded(value + 0.99 * error) == rounded(value)


def test_what_is_certain_is_not_scored_again(model, monkeypatch):
    monkeypatch.setattr(copy, "deepcopy", None)  # so that no copy in float64 can be made
    assert settled(model, (-1.0002, -2.0001, -0.5)) == (-1.0002, -2.0001, -0.5)
    with pytest.raises(TypeError):
        settled(model, (-1.0005, -2.0001, -0.5))


def test_an_uncertain_hypothesis_keeps_its_coverage_penalty(model, exact):
    edge = round(exact[0], DIGITS) + 0.5 * 10**-DIGITS
    noisy = (edge, *exact[1:])
    alpha, coverage = 0.7, -0.25
    penalty = length_penalty(3, alpha)
    before = Hypothesis(TARGET, math.fsum(noisy), math.fsum(noisy) / penalty + coverage, noisy, True)
    scores = StableScores(model, torch.device("cpu"))
    ((after,),) = scores.settle_hypotheses([SOURCE], [[before]], BeamConfig(alpha=alpha, coverage=0.2))
    assert after.token_log_probabilities == exact
    assert after.log_probability == pytest.approx(math.fsum(exact), abs=1e-12)
    assert after.score == pytest.approx(math.fsum(exact) / penalty + coverage, abs=1e-12)


@pytest.mark.parametrize("free", [0, 1])
def test_what_an_engine_does_not_tell_is_scored_by_the_model(model, exact, free):
    penalty = length_penalty(3, 0.7)
    other = Hypothesis(TARGET, -1.0, -1.0 / penalty, None, True, "ctranslate2")
    scores, search = StableScores(model, torch.device("cpu")), BeamConfig(alpha=0.7, unscored_prefix=free)
    ((), (after,)) = scores.settle_hypotheses([SOURCE, SOURCE], [[], [other]], search)
    expected = (0.0,) * free + exact[free:]
    assert after.token_log_probabilities == pytest.approx(expected, abs=1e-4)
    assert after.log_probability == pytest.approx(math.fsum(expected), abs=1e-4)
    assert after.score == pytest.approx(math.fsum(expected) / penalty, abs=1e-4)
    assert (after.tokens, after.engine) == (TARGET, "ctranslate2")


SAVED = sorted((Path(__file__).parents[2] / "compatibility" / "saved" / "0.1.0" / "models").iterdir())


@pytest.mark.parametrize("saved", SAVED, ids=lambda saved: saved.name)
def test_every_architecture_can_be_scored_in_float64(saved, monkeypatch):
    monkeypatch.setattr("saccade.serving.stable_scores.NOISE", 1.0)  # so that every digit is uncertain
    translator = load(saved, device="cpu")
    pairs = [("a dog runs", "a dog")] if translator.task != "classification" else [("a dog runs", "b")]
    ((plain,), (settled,)) = (list(translator.stream_scores(pairs, stable=stable)) for stable in (False, True))
    assert settled.token_log_probabilities == pytest.approx(plain.token_log_probabilities, rel=1e-5, abs=1e-4)
