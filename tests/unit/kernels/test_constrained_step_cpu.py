"""The compiled step of a search with terms against its readable original in torch, `select_with_terms`."""

import random
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import BeamState
from saccade.decoding.constrained_beam_fast import ConstrainedState, select_with_terms
from saccade.decoding.ranking import STEPS_PER_NAT
from saccade.decoding.terms import OPEN, ROOT, START, Form, TermAutomaton, WordMarks
from saccade.kernels import cpu_library
from saccade.kernels.beam_step_cpu import select
from saccade.special_tokens import EOS, PAD


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()


def drawn_marks(chance, vocabulary):
    begin, open_ = chance.choice([0.0, 0.2, 0.5, 0.8, 1.0]), chance.choice([0.0, 0.1, 0.3])
    return WordMarks(
        tuple(token == EOS or chance.random() < begin for token in range(vocabulary)),
        tuple(token >= 4 and chance.random() < open_ for token in range(vocabulary)),
    )


def drawn_form(chance, tokens):
    root = chance.choice([ROOT, ROOT, OPEN, START])
    if chance.random() < 0.25:  # a stem, which there are several ways to cut
        last = chance.randint(1, 4)
        edges = {(place, chance.choice(tokens), place + 1) for place in range(last)}
        edges |= {(0, chance.choice(tokens), chance.randint(1, last)) for _ in range(chance.randint(0, 3))}
        return Form(root, tuple(sorted(edges)), last, continues=True)
    return Form.of([chance.choice(tokens) for _ in range(chance.randint(1, 3))], root, free=chance.random() < 0.25)


def drawn_automaton(chance, vocabulary, marks):
    tokens = chance.sample(range(4, vocabulary), min(vocabulary - 4, chance.choice([2, 3, 5, 20])))
    terms = []
    for _ in range(chance.choice([0, 1, 1, 2, 2, 3])):
        forms = tuple(dict.fromkeys(drawn_form(chance, tokens) for _ in range(chance.randint(1, 3))))
        terms += [forms] * chance.choice([1, 1, 1, 2])
    return TermAutomaton.of(terms, marks)


def drawn_logits(chance, generator, rows, vocabulary, style):
    logits = torch.randn(rows, vocabulary, generator=generator)
    if style == "levels":
        logits = logits.round()
    elif style == "two levels":
        logits = (torch.arange(vocabulary) % 7 == 0).float().repeat(rows, 1)
    logits[:, EOS] += chance.choice([-3.0, 0.0, 2.0])
    if chance.random() < 0.2:  # most is impossible
        logits[torch.rand(rows, vocabulary, generator=generator) < 0.9] = -torch.inf
        logits[:, vocabulary - 1] = 0.0
    return logits


def where(tensor, possible):
    return tensor.masked_fill(~possible, 0)


def assert_one_sentence_is_the_same(found, left, expected, after, row):
    """All that the next step or whoever reads the outputs makes something of."""
    for ours, theirs in ((found.scores, expected.scores), (left.beam.alive, after.beam.alive), (left.lost, after.lost)):
        torch.testing.assert_close(ours[row], theirs[row], rtol=0, atol=1e-4)
    torch.testing.assert_close(left.beam.finished[row], after.beam.finished[row], rtol=0, atol=1e-4 * STEPS_PER_NAT)
    possible, alive = ~expected.scores[row].isneginf(), ~after.beam.alive[row].isneginf()
    assert torch.equal(where(found.names[row], possible), where(expected.ids[row], possible))
    assert torch.equal(found.onward[row], expected.alive[row])
    assert int(left.done[row]) == int(after.done[row])
    assert torch.equal(left.node[row], after.node[row])
    for name in ("met", "count"):
        assert torch.equal(where(getattr(left, name)[row], alive), where(getattr(after, name)[row], alive))
    torch.testing.assert_close(where(left.begun[row], alive), where(after.begun[row], alive), rtol=0, atol=1e-4)
    kept = ~after.lost[row].isneginf()
    assert torch.equal(where(left.lost_banks[row], kept), where(after.lost_banks[row], kept))
    if not int(after.done[row]):
        assert torch.equal(left.beam.reads[row], after.beam.reads[row])


@settings(max_examples=80, deadline=None)
@given(
    vocabulary=st.sampled_from([8, 9, 23, 63, 64, 65, 131, 200]),
    size=st.integers(1, 6),
    sentences=st.integers(1, 3),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "first-finished"]),
    style=st.sampled_from(["spread", "spread", "levels", "two levels"]),
    seed=st.integers(0, 9999),
)
def test_the_library_chooses_what_torch_chooses(vocabulary, size, sentences, stop, style, seed):
    chance, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    marks = drawn_marks(chance, vocabulary)
    automata = [drawn_automaton(chance, vocabulary, marks) for _ in range(sentences)]
    asked = BeamConfig(size=size, nbest=chance.randint(1, size), stop=stop, alpha=chance.choice([0.0, 0.6]))
    config = replace(asked, size=max(size, *(len(automaton.banks) for automaton in automata)))
    limits = torch.tensor([chance.randint(2, 7) for _ in automata])
    search = ConstrainedState.initial(BeamState.initial(limits, 7, config), automata, size)
    clear = torch.ones(sentences, dtype=torch.bool)
    for _ in range(int(limits.max())):
        logits = drawn_logits(chance, generator, sentences * config.size, vocabulary, style)
        left, before = search._map(torch.clone), search.done
        found = select(logits.clone(), left.for_kernels(config))
        _, search, expected = select_with_terms(logits.double(), search, config)
        # Where either is in doubt, the sentence is searched again by the readable search.
        clear &= (before > 0) | ((found.margin > 1) & (expected.margin > 1))
        for row in (clear & (before == 0)).nonzero().squeeze(1).tolist():
            assert_one_sentence_is_the_same(found, left, expected, search, row)
        done = before > 0
        assert torch.equal(left.done[done], before[done])
        assert (left.beam.reads[done] == PAD).all()


def test_a_score_that_is_no_number_leaves_the_sentence_in_doubt_and_no_other():
    chance, generator = random.Random(5), torch.Generator().manual_seed(5)
    marks = WordMarks((True,) * 65, (False,) * 65)
    automata = [TermAutomaton.of([(Form.of([7, 9], ROOT),)], marks) for _ in range(2)]
    config = BeamConfig(size=3)
    search = ConstrainedState.initial(BeamState.initial(torch.tensor([5, 5]), 5, config), automata, 3)
    logits = drawn_logits(chance, generator, 6, 65, "spread")
    logits[3] = torch.nan
    found = select(logits, search.for_kernels(config))
    assert found.margin[0] > 1
    assert found.margin[1] <= 1
