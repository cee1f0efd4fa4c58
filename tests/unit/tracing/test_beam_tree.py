import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.length_penalty import length_penalty
from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.tracing.beam_tree import PRUNED, search, to_json
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

SOURCE = [57, 91, 300, 14, 200, EOS]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    source=st.lists(st.integers(4, 329), min_size=1, max_size=7),
    prefix=st.lists(st.integers(4, 329), max_size=3),
    size=st.integers(1, 5),
    alpha=st.sampled_from([0.0, 0.6, 1.3]),
    nbest=st.integers(1, 3),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "longest-length", "first-finished"]),
    architecture=st.sampled_from(["transformer", "rnnsearch"]),
)
def test_it_finds_what_beam_search_finds(bundle, source, prefix, size, alpha, nbest, stop, architecture):
    model = bundle(architecture).model
    config = BeamConfig(size=size, alpha=alpha, nbest=min(nbest, size), extra_length=4, stop=stop)
    given_ = Sequences.of([[*source, EOS]])
    begin = Sequences.of([prefix]) if prefix else None
    assert search(model, given_, config, begin).hypotheses == beam_search(model, given_, config, begin)[0]


@pytest.mark.parametrize("architecture", ["transformer", "rnnsearch"])
def test_hypotheses_that_share_a_cache_are_the_same_within_rounding(bundle, architecture):
    model, config = bundle(architecture).model, BeamConfig(size=3, nbest=3, extra_length=7)
    shared, own = (search(model, Sequences.of([SOURCE]), config, branches=branches) for branches in (True, False))
    assert [node.token for node in shared.nodes] == [node.token for node in own.nodes]
    assert [node.total for node in shared.nodes] == pytest.approx([node.total for node in own.nodes], abs=1e-4)
    assert [one.tokens for one in shared.hypotheses] == [one.tokens for one in own.hypotheses]


def test_it_finds_what_beam_search_finds_where_coverage_is_charged(bundle):
    model = bundle("rnnsearch").model
    config = BeamConfig(size=4, coverage=0.7, nbest=4, extra_length=4)
    assert (
        search(model, Sequences.of([SOURCE]), config).hypotheses
        == beam_search(model, Sequences.of([SOURCE]), config)[0]
    )


@pytest.fixture(scope="module")
def searched(bundle):
    return search(bundle("transformer").model, Sequences.of([SOURCE]), BeamConfig(size=3, extra_length=7))


def test_every_node_adds_its_own_log_probability_to_its_parents_total(bundle, searched):
    model = bundle("transformer").model
    written = [node for node in searched.nodes if node.length == 5]
    target = Sequences.of([node.tokens for node in written])
    memory = model.encode(Sequences.of([SOURCE])).select(torch.zeros(len(written), dtype=torch.int64))
    log_p = model.decode(target.reads, memory).log_softmax(-1).gather(2, target.tokens.unsqueeze(2)).sum((1, 2))
    assert torch.allclose(log_p.double(), torch.tensor([node.total for node in written]).double(), atol=1e-4)


def test_no_step_keeps_more_than_the_beam_holds_or_shows_more_than_twenty_pruned(searched):
    for length in range(1, searched.nodes[-1].length + 1):
        states = [node.state for node in searched.nodes if node.length == length]
        assert states.count("kept") <= 3
        assert states.count("pruned") == PRUNED


def test_what_was_pruned_is_worse_than_what_was_kept(searched):
    for length in range(1, searched.nodes[-1].length + 1):
        step = [node for node in searched.nodes if node.length == length]
        worst = min(node.total for node in step if node.state == "kept")
        assert all(node.total <= worst + 2e-5 for node in step if node.state == "pruned")


def test_written_as_json_nodes_are_numbered_by_their_places(bundle, searched):
    written = to_json(searched, bundle("transformer").target_tokenizer)
    assert [node["n"] for node in written["nodes"]] == list(range(len(written["nodes"])))
    for hypothesis in written["hypotheses"]:
        assert hypothesis["lp"] == length_penalty(hypothesis["length"], 0.6)
        assert hypothesis["score"] == hypothesis["cum"] / hypothesis["lp"]


def test_the_output_begins_with_the_prefix(bundle):
    document = trace(bundle("transformer"), "Two men are talking.", TraceOptions(prefix="The old sea"))
    assert document["output"]["text"].startswith("The old sea")


def test_a_forced_target_is_scored_and_not_searched(bundle):
    document = trace(bundle("transformer"), "Two men are talking.", TraceOptions(force="The old sea."))
    assert document["output"]["text"] == "The old sea."
    assert document["output"]["mode"] == "forced"
    assert document["beam"] is None
