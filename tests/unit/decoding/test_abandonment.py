"""A search ends before its next steps where it was abandoned, and only there."""

from threading import Event, Thread

import pytest

from saccade.decoding import abandonment
from saccade.decoding.abandonment import AbandonedError
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import fast_search
from saccade.sequences import Sequences
from saccade.special_tokens import EOS


def test_a_search_that_was_abandoned_ends_before_its_next_steps(tiny, monkeypatch):
    model, source, steps = tiny(1), Sequences.of([[4, 5, EOS]]), []
    event, step = Event(), model.step

    def abandoned_at_the_third(*arguments):
        steps.append(arguments)
        if len(steps) == 3:
            event.set()
        return step(*arguments)

    monkeypatch.setattr(model, "step", abandoned_at_the_third)
    with abandonment.until(event), pytest.raises(AbandonedError):
        fast_search(model, source, BeamConfig(size=2, nbest=2, extra_length=15))
    assert len(steps) == 3
    assert fast_search(model, source, BeamConfig(size=2, extra_length=15))


def test_it_is_a_matter_of_the_thread_that_searches():
    event, reached = Event(), []
    event.set()
    with abandonment.until(event):
        other = Thread(target=lambda: reached.append(abandonment.check()))
        other.start()
        other.join()
        with pytest.raises(AbandonedError):
            abandonment.check()
    assert reached == [None]
    abandonment.check()
