"""A trace that nobody waits for stops within a step."""

import pytest
import torch

from saccade.cancellation import Cancellation, Cancelled
from saccade.decoding.beam import BeamConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.tracing.beam_tree import search
from saccade.tracing.forward_passes import run
from saccade.tracing.influence import gradient, occlusion
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

SOURCE, TARGET = [7, 11, 13, EOS], [5, 9, 6, 8, EOS]


@pytest.fixture
def model(bundle):
    return bundle("transformer").model


@pytest.fixture
def requested() -> Cancellation:
    cancellation = Cancellation()
    cancellation.request()
    return cancellation


def after_steps(model, monkeypatch, steps: int) -> tuple[Cancellation, list[int]]:
    """A cancellation that is requested during this step of the model; and the steps that were taken."""
    cancellation, taken, step = Cancellation(), [], model.step

    def counted(*arguments):
        taken.append(1)
        if len(taken) == steps:
            cancellation.request()
        return step(*arguments)

    monkeypatch.setattr(model, "step", counted)
    return cancellation, taken


def test_nothing_stops_unless_it_is_asked_to():
    Cancellation().check()


def test_a_search_takes_no_step_after_it_was_cancelled(model, monkeypatch):
    cancellation, taken = after_steps(model, monkeypatch, 3)
    with pytest.raises(Cancelled):
        search(model, Sequences.of([SOURCE], torch.device("cpu")), BeamConfig(extra_length=40), None, cancellation)
    assert len(taken) == 3


def test_decoding_step_by_step_takes_no_step_after_it_was_cancelled(model, monkeypatch):
    cancellation, taken = after_steps(model, monkeypatch, 2)
    with pytest.raises(Cancelled):
        run(model, SOURCE, TARGET, cancellation)
    assert len(taken) == 2


def test_influence_is_not_measured_after_it_was_cancelled(model, requested):
    with pytest.raises(Cancelled):
        gradient(model, SOURCE, TARGET, requested)
    with pytest.raises(Cancelled):
        occlusion(model, SOURCE, TARGET, [[0], [1, 2]], requested)


def test_a_trace_hands_its_cancellation_to_the_search(bundle, requested):
    with pytest.raises(Cancelled):
        trace(bundle("transformer"), "Two men are talking.", TraceOptions(), cancellation=requested)


@pytest.mark.slow
def test_a_cancelled_trace_leaves_no_recording_in_the_model(bundle, monkeypatch):
    traced = bundle("transformer")
    before = trace(traced, "Two men are talking.")
    cancellation, _ = after_steps(traced.model, monkeypatch, len(before["steps"]) + 2)
    with pytest.raises(Cancelled):
        trace(traced, "Two men are talking.", cancellation=cancellation)
    monkeypatch.undo()
    assert trace(traced, "Two men are talking.") == before
