"""The kernel against its readable original in torch, `select_candidates`."""

from functools import partial

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from tests.unit.kernels.searches_under_way import assert_the_same, logits_of, selected_by, standing_of

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import select_candidates
from saccade.kernels.beam_step import select

selected = partial(selected_by, select)


@given(
    sentences=st.integers(1, 3),
    size=st.integers(1, 6),
    vocabulary=st.sampled_from([4, 5, 7, 63, 64, 65, 131, 300]),
    share=st.floats(0.01, 1.0),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "longest-length", "first-finished"]),
    length_rule=st.sampled_from(["gnmt", "power"]),
    ends=st.sampled_from(["candidates", "beam"]),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=15, deadline=None)
def test_the_kernel_chooses_what_torch_chooses(
    device, sentences, size, vocabulary, share, stop, length_rule, ends, seed
):
    config = BeamConfig(size=size, nbest=max(1, int(share * size)), stop=stop, length_rule=length_rule, ends=ends)
    standing = standing_of(sentences, config, seed, device)
    logits = logits_of(sentences * size, vocabulary, seed, device)
    found, left = selected(logits.clone(), standing, config)
    # Doubled, torch goes its own way on a GPU as well; a score on the very edge between grid steps may fall either way.
    expected = select_candidates(logits.double(), standing, config)
    assume((expected[2].margin > 2).all())
    assert_the_same(found, left, expected, logits, vocabulary)


@pytest.mark.parametrize("size", [1, 3, 4])
def test_of_equal_candidates_the_smaller_number_comes_first(device, size):
    config = BeamConfig(size=size, extra_length=5)
    standing = standing_of(5, config, 3, device)
    standing.alive.copy_(-torch.arange(size, device=device).double().expand(5, size))
    logits = torch.zeros(5 * size, 7, device=device)
    logits[:, 5] = 2.0
    found, left = selected(logits, standing, config)
    expected = select_candidates(logits.double(), standing, config)
    assert torch.equal(found.names, expected[2].ids)
    assert_the_same(found, left, expected, logits, 7)


def test_a_tie_that_reaches_beyond_what_was_looked_at_is_noticed(device):
    config = BeamConfig(size=2)
    found, _ = selected(torch.zeros(6, 200, device=device), standing_of(3, config, 4, device), config)
    assert (found.margin <= 1).all()


def test_a_score_that_is_no_number_leaves_the_choice_in_doubt(device):
    config = BeamConfig(size=2)
    standing = standing_of(2, config, 5, device)
    standing.alive.copy_(torch.tensor([[-1.0, -2.0], [-1.0, -2.0]]))
    logits = logits_of(4, 131, 5, device)
    logits[3, 77] = torch.nan
    found, _ = selected(logits, standing, config)
    assert found.margin[0] > 1
    assert found.margin[1] <= 1


def test_half_precision_is_read_as_it_is(device):
    config = BeamConfig(size=3, nbest=2)
    standing = standing_of(4, config, 6, device)
    logits = logits_of(12, 301, 6, device).bfloat16()
    found, left = selected(logits, standing, config)
    assert_the_same(found, left, select_candidates(logits.double(), standing, config), logits, 301)


def test_rows_may_lie_in_a_wider_matrix(device):
    config = BeamConfig(size=3)
    standing = standing_of(2, config, 7, device)
    wide = logits_of(6, 300, 7, device)
    (one, left), (other, same) = (selected(part, standing, config) for part in (wide[:, :131], wide[:, :131].clone()))
    for ours, theirs in zip((*one, *left.tensors()), (*other, *same.tensors()), strict=True):
        assert torch.equal(ours, theirs)


def test_the_first_finished_end_a_search_also_where_what_is_alive_is_certain(device):
    config = BeamConfig(size=2, stop="first-finished")
    standing = standing_of(3, config, 7, device)
    standing.length.zero_()
    standing.done.zero_()
    standing.alive.zero_()
    standing.finished.fill_(-9.0)
    logits = torch.zeros(6, 131, device=device)
    logits[:, 7] = 100.0
    _, left = selected(logits, standing, config)
    assert (left.alive[:, 0] >= 0).all()
    assert (left.done == 1).all()
