"""Outputs contain their terms; the fast search finds what the readable one finds; a wide beam finds the best of all."""

import math
from itertools import product
from unittest.mock import patch

import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from saccade.decoding import constrained_beam_fast
from saccade.decoding.beam import BeamConfig
from saccade.decoding.constrained_beam import constrained_beam_search
from saccade.decoding.constrained_beam_fast import constrained_search
from saccade.decoding.scoring import score_pairs
from saccade.decoding.terms import OPEN, ROOT, START, Form, TermAutomaton, WordMarks
from saccade.errors import InputError
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS, PAD, UNK

VOCABULARY = 11
# Tokens 4 to 7 begin a word, 8 is punctuation, 9 and 10 continue a word.
MARKS = WordMarks(
    begins=tuple(token in (EOS, 4, 5, 6, 7, 8) for token in range(VOCABULARY)),
    opens=tuple(token == 8 for token in range(VOCABULARY)),
)


def term(*forms, root=None, free=False):
    """Each form may begin anywhere, or at the root that is given."""
    roots = (ROOT, START) if root is None else (root,)
    return tuple(Form.of(tokens, place, free=free) for tokens in forms for place in roots)


def automaton(*terms):
    return TermAutomaton.of(terms, MARKS)


def assert_same(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert [(one.tokens, one.finished) for one in ours] == [(one.tokens, one.finished) for one in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-9)
            assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-9)


tokens = st.lists(st.integers(4, VOCABULARY - 1), min_size=1, max_size=3)
terms = st.lists(
    st.tuples(
        st.lists(tokens, min_size=1, max_size=2), st.sampled_from([None, None, ROOT, OPEN, START]), st.booleans()
    ),
    min_size=1,
    max_size=3,
)


cases = given(
    seed=st.integers(0, 1000),
    own_terms=st.lists(terms, min_size=1, max_size=2),
    size=st.integers(1, 6),
    nbest=st.floats(0.01, 1.0),
    alpha=st.sampled_from([0.0, 0.6]),
    levels=st.sampled_from([None, None, 1, 3]),
    language=st.lists(st.integers(4, VOCABULARY - 1), max_size=2),
)


@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])
@cases
def test_the_fast_search_finds_what_the_readable_one_finds(tiny, seed, own_terms, size, nbest, alpha, levels, language):
    assert_twins_agree(tiny(seed, VOCABULARY, maximum_length=11), own_terms, size, nbest, alpha, levels, language)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@cases
def test_in_a_hundred_cases_the_fast_search_finds_what_the_readable_one_finds(
    tiny, seed, own_terms, size, nbest, alpha, levels, language
):
    assert_twins_agree(tiny(seed, VOCABULARY, maximum_length=19), own_terms, size, nbest, alpha, levels, language)


def assert_twins_agree(model, own_terms, size, nbest, alpha, levels, language):
    if levels is not None:  # groups of tokens of the same probability: everything is a tie
        with torch.no_grad():
            model.output.weight.copy_(model.output.weight[torch.arange(VOCABULARY) % levels])
    config = BeamConfig(
        size=size, nbest=math.ceil(nbest * size), alpha=alpha, extra_length=4, unscored_prefix=len(language)
    )
    automata = [automaton(*(term(*forms, root=root, free=free) for forms, root, free in own)) for own in own_terms]
    source = Sequences.of([[*range(4, 5 + row), EOS] for row in range(len(automata))])
    prefix = Sequences.of([language] * len(automata)) if language else None
    readable = constrained_beam_search(model, source, config, automata, prefix)
    found = constrained_search(model, source, config, automata, prefix)
    assert_same(found, readable)
    with patch.object(constrained_beam_fast, "_may_wait", lambda _: False):  # as a GPU does it
        assert_same(constrained_search(model, source, config, automata, prefix), readable)
    for own, hypotheses in zip(automata, found, strict=True):
        for hypothesis in hypotheses:
            assert hypothesis.tokens[: len(language)] == tuple(language)
            assert own.contains_all(hypothesis.tokens[len(language) : -1]) or not hypothesis.finished


@pytest.mark.parametrize(
    "wanted",
    [
        [term([4, 9])],
        [term([4], [5, 6], [7, 9])],
        [term([4]), term([4])],
        [term([6]), term([5])],
    ],
)
def test_a_beam_wide_enough_finds_the_best_of_all_outputs_with_the_terms(tiny, wanted):
    """By exhaustion: every output within the limit, read by the automaton, scored one by one."""
    model, source = tiny(3, 10), Sequences.of([[4, 5, EOS]])
    own = TermAutomaton.of(wanted, WordMarks(MARKS.begins[:10], MARKS.opens[:10]))
    limit = 4  # three tokens of the source and one more
    assert own.shortest <= 2
    outputs = [
        (*tokens, EOS)
        for length in range(1, limit)
        for tokens in product((UNK, *range(4, 10)), repeat=length)
        if own.contains_all(tokens)
    ]
    pairs = Pairs(source.select(torch.zeros(len(outputs), dtype=torch.int64)), Sequences.of(outputs))
    totals = score_pairs(model, pairs).sum(dim=1)
    config = BeamConfig(size=400, alpha=0.0, extra_length=1)
    [[best]] = constrained_search(model, source, config, [own])
    assert best.tokens == outputs[int(totals.argmax())]
    assert best.log_probability == pytest.approx(float(totals.max()))


def contains(wanted, *tokens):
    return TermAutomaton.of([wanted], MARKS).contains_all(tokens)


def test_a_word_that_goes_on_is_not_the_term():
    assert contains(term([4]), 5, 4, 8)
    assert contains(term([4]), 5, 4)
    assert not contains(term([4]), 5, 4, 9)
    assert contains(term([4]), 4, 9, 4, 6)
    assert contains(term([4], free=True), 4, 9)


def test_a_form_may_begin_where_its_root_is():
    assert contains(term([9], root=OPEN), 5, 8, 9)
    assert not contains(term([9], root=OPEN), 5, 9)
    assert contains(term([4], root=START), 4, 5)
    assert not contains(term([4], root=START), 5, 4)


def test_a_term_given_twice_must_be_there_twice_and_a_longer_one_has_no_shorter_one_in_it():
    twice = TermAutomaton.of([term([4]), term([4])], MARKS)
    assert not twice.contains_all([4, 5])
    assert twice.contains_all([4, 4])
    both = TermAutomaton.of([term([4]), term([4, 5])], MARKS)
    assert not both.contains_all([4, 5, 6])
    assert both.contains_all([4, 5, 4])


def test_a_stem_is_met_by_any_word_that_begins_with_it():
    stem = (Form(ROOT, ((0, 4, 1), (1, 9, 2), (0, 5, 2)), 2, continues=True),)
    for written in ([7, 4, 9], [7, 5], [7, 5, 10, 9, 8], [7, 4, 9, 10, 6]):
        assert contains(stem, *written)
    assert not contains(stem, 7, 4, 10)


def test_terms_longer_than_the_model_writes_are_refused(tiny):
    with pytest.raises(InputError, match="at most 7 tokens"):
        constrained_search(
            tiny(1, maximum_length=8), Sequences.of([[4, EOS]]), BeamConfig(), [automaton(term([4] * 8))]
        )


@pytest.mark.parametrize("coverage", [0.0, 0.5])
def test_a_prefix_comes_before_the_terms_with_or_without_coverage(tiny, coverage):
    source, prefix, own = Sequences.of([[6, EOS]]), Sequences.of([[7, 7]]), automaton(term([5, 9]))
    config = BeamConfig(size=2, extra_length=4, coverage=coverage)
    [[best]] = constrained_search(tiny(4), source, config, [own], prefix)
    assert best.tokens[:2] == (7, 7)
    assert own.contains_all(best.tokens[:-1])


@pytest.mark.parametrize(("size", "expected"), [(1, 1), (2, 2), (4, 4)])
def test_places_that_only_banks_need_are_empty_where_these_have_nobody(tiny, monkeypatch, size, expected):
    """The term may begin after an opening bracket alone: nobody has begun it after one token."""
    model, own, read = tiny(4, VOCABULARY), automaton(term([5, 9], root=OPEN)), list[torch.Tensor]()
    step = model.step
    monkeypatch.setattr(model, "step", lambda token, state: read.append(token) or step(token, state))
    assert len(own.banks) == 3
    constrained_search(model, Sequences.of([[6, EOS]]), BeamConfig(size=size, extra_length=4), [own])
    assert len(read[1]) == max(size, 3)
    assert int((read[1] != PAD).sum()) == expected


def test_an_output_begins_after_the_language_that_is_given(tiny):
    """A form that only the start of an output has, as a word with a capital letter, is found behind the language."""
    source, own = Sequences.of([[6, EOS]]), automaton(term([5, 9], root=START))
    config = BeamConfig(size=2, extra_length=4, unscored_prefix=1)
    for search in (constrained_search, constrained_beam_search):
        [[best]] = search(tiny(4), source, config, [own], Sequences.of([[7]]))
        assert best.tokens[:3] == (7, 5, 9)
        assert best.token_log_probabilities[0] == 0
        assert best.finished
