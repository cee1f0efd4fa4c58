"""A search ends before its next steps where it was cancelled, and only there."""

from functools import partial
from threading import Thread

import pytest

from saccade.cancellation import Cancellation, Cancelled, check_search
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.constrained_beam import constrained_beam_search
from saccade.decoding.constrained_beam_fast import constrained_search
from saccade.decoding.terms import ROOT, Form, TermAutomaton, WordMarks
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

AUTOMATA = [TermAutomaton.of([(Form.of([7, 8], ROOT),)], WordMarks((True,) * 11, (False,) * 11))]


@pytest.mark.parametrize(
    "search",
    [
        fast_search,
        beam_search,
        partial(constrained_search, automata=AUTOMATA),
        partial(constrained_beam_search, automata=AUTOMATA),
    ],
    ids=["fast", "readable", "fast with terms", "readable with terms"],
)
def test_a_search_that_was_cancelled_ends_before_its_next_steps(tiny, monkeypatch, search):
    model, source, steps = tiny(1), Sequences.of([[4, 5, EOS]]), []
    cancellation, step = Cancellation(), model.step

    def cancelled_at_the_third(*arguments):
        steps.append(arguments)
        if len(steps) == 3:
            cancellation.request()
        return step(*arguments)

    monkeypatch.setattr(model, "step", cancelled_at_the_third)
    with cancellation.of_searches(), pytest.raises(Cancelled):
        search(model, source, BeamConfig(size=2, nbest=2, extra_length=15))
    assert len(steps) == 3
    assert search(model, source, BeamConfig(size=2, extra_length=15))


def test_it_is_a_matter_of_the_thread_that_searches():
    cancellation, reached = Cancellation(), []
    cancellation.request()
    with cancellation.of_searches():
        other = Thread(target=lambda: reached.append(check_search()))
        other.start()
        other.join()
        with pytest.raises(Cancelled):
            check_search()
    assert reached == [None]
    check_search()
