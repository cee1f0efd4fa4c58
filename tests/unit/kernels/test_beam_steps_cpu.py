"""Many steps in one call are the same steps one by one: the same backpointers, to the last bit."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.models.test_transformer_fast import sources, transformer

from saccade.decoding import beam_fast
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import BeamState, beam_step, initial_state, some_steps, take_steps
from saccade.decoding.constrained_beam import constrained_beam_search, limits_with_terms
from saccade.decoding.constrained_beam_fast import ConstrainedState, constrained_search, constrained_step
from saccade.decoding.constraints import Constraints
from saccade.decoding.terms import ROOT, START, Form, TermAutomaton, WordMarks
from saccade.kernels import cpu_library


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()


@contextmanager
def at_most(steps: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam_fast, "_STEPS_AT_ONCE", steps)
        yield


@torch.inference_mode()
def searched(model, source, config):
    limits = Constraints.of(model, source, config.extra_length, None).limits
    given = torch.zeros(len(source), 0, dtype=torch.int64)
    state = initial_state(model, source, given, config.size, int(limits.max()))
    return take_steps(model, state, BeamState.initial(limits, int(limits.max()), config), config, beam_step)


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=9),
    size=st.integers(1, 5),
    window=st.sampled_from([None, None, 1, 3]),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "longest-length", "first-finished"]),
    most=st.sampled_from([1, 2, 5, 16]),
    seed=st.integers(0, 999),
)
def test_steps_at_once_are_steps_one_by_one(lengths, size, window, stop, most, seed):
    model, source = transformer(seed, attention_window=window), sources(lengths, seed)
    model.compile_search()
    config = BeamConfig(size=size, stop=stop, extra_length=7)
    with at_most(most):
        found, done = searched(model, source, config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "compiled_steps", lambda *_: None)
        expected, expected_done = searched(model, source, config)
    assert_same_until_done(found, done, expected, expected_done)


def assert_same_until_done(found, done, expected, expected_done):
    assert torch.equal(done, expected_done)
    # After a sentence is done, what stands there is ignored, and depends on when the batch is made smaller.
    within = torch.arange(1, len(expected.margin) + 1).unsqueeze(1) <= done
    assert len(found.margin) == len(expected.margin)
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.equal(ours[within], theirs[within])


def automata_of(wanted, vocabulary):
    marks = WordMarks(tuple(token % 3 > 0 for token in range(vocabulary)), (False,) * vocabulary)
    terms = [[tuple(Form.of(tokens, root) for root in (ROOT, START)) for tokens in own] for own in wanted]
    return [TermAutomaton.of(own, marks) for own in terms]


terms_of_sentences = st.lists(
    st.lists(st.lists(st.integers(4, 28), min_size=1, max_size=3), min_size=1, max_size=2), min_size=1, max_size=5
)


@settings(max_examples=3, deadline=None)
@given(
    wanted=terms_of_sentences,
    size=st.integers(1, 6),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "first-finished"]),
    seed=st.integers(0, 999),
)
def test_the_compiled_search_with_terms_finds_what_the_readable_one_finds(wanted, size, stop, seed):
    model, source = transformer(seed), sources(range(2, 2 + len(wanted)), seed)
    automata = automata_of(wanted, model.target_vocabulary)
    config = BeamConfig(size=size, nbest=size, stop=stop, extra_length=7)
    expected = constrained_beam_search(model, source, config, automata)
    model.compile_search()
    found = constrained_search(model, source, config, automata)
    for ours, theirs in zip(found, expected, strict=True):
        assert [(one.tokens, one.finished) for one in ours] == [(one.tokens, one.finished) for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-4)


@settings(max_examples=15, deadline=None)
@given(
    wanted=terms_of_sentences,
    size=st.integers(1, 6),
    stop=st.sampled_from(["returned", "current-length"]),
    most=st.sampled_from([1, 2, 5, 16]),
    seed=st.integers(0, 999),
)
def test_steps_with_terms_at_once_are_steps_one_by_one(wanted, size, stop, most, seed):
    model, source = transformer(seed), sources(range(2, 2 + len(wanted)), seed)
    model.compile_search()
    automata = automata_of(wanted, model.target_vocabulary)
    asked = BeamConfig(size=size, stop=stop, extra_length=7)
    config = replace(asked, size=max(size, *(len(automaton.banks) for automaton in automata)))
    limits = limits_with_terms(model, source, config, automata).limits

    @torch.inference_mode()
    def searched_with_terms():
        given = torch.zeros(len(source), 0, dtype=torch.int64)
        state = initial_state(model, source, given, config.size, int(limits.max()))
        beam = BeamState.initial(limits, int(limits.max()), config)
        search = ConstrainedState.initial(beam, automata, asked.size)
        return take_steps(model, state, search, config, constrained_step)

    with at_most(most):
        found, done = searched_with_terms()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "compiled_steps", lambda *_: None)
        expected, expected_done = searched_with_terms()
    assert_same_until_done(found, done, expected, expected_done)


def test_a_call_ends_where_few_enough_sentences_are_left():
    model, source = transformer(3), sources([1, 2, 9, 12], 3)
    model.compile_search()
    config = BeamConfig(size=2, extra_length=0)
    limits = Constraints.of(model, source, 0, None).limits
    given = torch.zeros(4, 0, dtype=torch.int64)
    with torch.inference_mode():
        state = initial_state(model, source, given, 2, int(limits.max()))
        beam = BeamState.initial(limits, int(limits.max()), config)
        _, beam, pointers = some_steps(model, state, beam, config, beam_step, enough=2)
    assert int((beam.done == 0).sum()) <= 2
    assert len(pointers.ids) == int(beam.length[0])
    assert len(pointers.ids) < int(limits.max())
