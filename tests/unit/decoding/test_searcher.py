"""A prepared model finds what the readable search finds."""

import pytest
import torch

from saccade.cuda_graph import CaptureError
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.searcher import Searcher, frozen_copy
from saccade.decoding.terms import START, Form, TermAutomaton, WordMarks
from saccade.layers.aligned_projection import AlignedProjection
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert [(one.tokens, one.finished) for one in ours] == [(one.tokens, one.finished) for one in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-9)
            assert one.log_probability == pytest.approx(other.log_probability, abs=1e-9)
            assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-9)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 2))])
def test_a_searcher_finds_the_same_again_and_again(tiny, seed):
    model, config = tiny(seed), BeamConfig(nbest=4, extra_length=6)
    searcher = Searcher(model)
    for some in (SOURCES, SOURCES[:1], SOURCES[2:], SOURCES):
        assert_same(searcher(Sequences.of(some), config), beam_search(model, Sequences.of(some), config))


@pytest.mark.parametrize("rules", [False, True])
def test_rows_of_logits_may_lie_apart(tiny, rules):
    model, config = tiny(1, 131), BeamConfig(nbest=4, extra_length=6)
    expected = Searcher(model)
    searcher = Searcher(model)
    searcher.model._aligned = AlignedProjection.of(searcher.model.projection, None)  # as it is on a GPU
    marks = WordMarks(begins=tuple(token % 2 == 0 for token in range(131)), opens=(False,) * 131)
    term = (Form.of([9, 5], root=START, free=True),)
    automata = [TermAutomaton.of([term], marks)] * len(SOURCES) if rules else None
    source = Sequences.of(SOURCES)
    assert_same(searcher(source, config, automata=automata), expected(source, config, automata=automata))


def test_a_searcher_leaves_the_model_as_it_was(tiny):
    model = tiny(3)
    before = {name: (tensor.data_ptr(), tensor.clone()) for name, tensor in model.state_dict().items()}
    Searcher(model, torch.float32)(Sequences.of(SOURCES), BeamConfig())
    for name, tensor in model.state_dict().items():
        assert tensor.data_ptr() == before[name][0]
        assert torch.equal(tensor, before[name][1])


def test_a_searcher_searches_in_the_precision_asked_for(tiny):
    model, config = tiny(4, 131), BeamConfig(extra_length=4)
    found = Searcher(model, torch.float32)(Sequences.of(SOURCES), config)
    expected = beam_search(tiny(4, 131).float(), Sequences.of(SOURCES), config)
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        assert ours[0].score == pytest.approx(theirs[0].score, abs=1e-5)


def test_parts_of_a_frozen_copy_are_the_registered_ones(tiny):
    frozen = frozen_copy(tiny(3), torch.float32)
    for module in frozen.modules():
        for name, part in (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)):
            assert vars(module)[name] is part
            assert getattr(module, name) is part
    assert {tensor.dtype for tensor in frozen.parameters()} == {torch.float32}
    assert not any(tensor.requires_grad for tensor in frozen.parameters())


@pytest.mark.parametrize(
    ("prefix", "unscored", "coverage", "captured"),
    [
        (None, 0, 0.0, True),
        ([[7], [9]], 1, 0.0, True),
        ([[7], []], 1, 0.0, False),
        ([[7], [9]], 0, 0.0, False),
        ([[7, 7], [9, 9]], 1, 0.0, False),
        ([[7], [9]], 1, 0.2, False),
        (None, 0, 0.2, False),
    ],
)
def test_captured_steps_serve_beginnings_that_cost_nothing(tiny, prefix, unscored, coverage, captured):
    config = BeamConfig(unscored_prefix=unscored, coverage=coverage)
    given = None if prefix is None else Sequences.of(prefix)
    assert Searcher(tiny(1))._can_be_captured(Sequences.of(SOURCES[:2]), config, given) is captured


def test_a_model_that_cannot_be_captured_is_told_once_and_searched_without_graphs(tiny, caplog):
    searcher = Searcher(tiny(1))

    def changes_shape(*_):
        raise CaptureError

    searcher._graph_search = changes_shape
    for _ in range(2):
        assert searcher._by_graphs(Sequences.of(SOURCES), BeamConfig(), None) is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "CUDA graphs cannot capture this model, since its state changes shape" in caplog.text
