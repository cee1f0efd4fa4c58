"""The compiled step against its readable original in torch, `select_candidates`."""

from functools import partial

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.kernels.searches_under_way import assert_the_same, logits_of, selected_by, standing_of

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import select_candidates
from saccade.kernels import cpu_library
from saccade.kernels.beam_step_cpu import select
from saccade.special_tokens import PAD


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()


selected = partial(selected_by, select)


def searched_everywhere(sentences, config, seed):
    standing = standing_of(sentences, config, seed)
    standing.done.zero_()
    return standing


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
def test_the_kernel_chooses_what_torch_chooses(sentences, size, vocabulary, share, stop, length_rule, ends, seed):
    config = BeamConfig(size=size, nbest=max(1, int(share * size)), stop=stop, length_rule=length_rule, ends=ends)
    standing = searched_everywhere(sentences, config, seed)
    logits = logits_of(sentences * size, vocabulary, seed)
    found, left = selected(logits.clone(), standing, config)
    # Doubled, torch goes its own way on a GPU as well; a score on the very edge between grid steps may fall either way.
    expected = select_candidates(logits.double(), standing, config)
    assume((expected[2].margin > 2).all())
    assert_the_same(found, left, expected, logits, vocabulary)


@pytest.mark.parametrize("size", [1, 3, 4])
def test_of_equal_candidates_the_smaller_number_comes_first(size):
    config = BeamConfig(size=size, extra_length=5)
    standing = searched_everywhere(5, config, 3)
    standing.alive.copy_(-torch.arange(size).double().expand(5, size))
    logits = torch.zeros(5 * size, 7)
    logits[:, 5] = 2.0
    found, left = selected(logits, standing, config)
    expected = select_candidates(logits.double(), standing, config)
    assert torch.equal(found.names, expected[2].ids)
    assert_the_same(found, left, expected, logits, 7)


def test_a_tie_that_reaches_beyond_what_was_looked_at_is_noticed():
    config = BeamConfig(size=2)
    found, _ = selected(torch.zeros(6, 200), searched_everywhere(3, config, 4), config)
    assert (found.margin <= 1).all()


def test_a_score_that_is_no_number_leaves_the_choice_in_doubt():
    config = BeamConfig(size=2)
    standing = searched_everywhere(2, config, 5)
    standing.alive.copy_(torch.tensor([[-1.0, -2.0], [-1.0, -2.0]]))
    logits = logits_of(4, 131, 5)
    logits[3, 77] = torch.nan
    found, _ = selected(logits, standing, config)
    assert found.margin[0] > 1
    assert found.margin[1] <= 1


def test_a_complete_sentence_has_empty_places_and_the_others_do_not_notice():
    config = BeamConfig(size=3)
    standing, logits = searched_everywhere(3, config, 6), logits_of(9, 131, 6)
    alone, left_alone = selected(logits, standing, config)
    standing.done[1] = 2
    found, left = selected(logits, standing, config)
    assert left.done[1] == 2
    assert (left.reads[1] == PAD).all()
    assert found.scores[1].isneginf().all()
    assert found.margin[1] == torch.inf
    assert torch.equal(left.length, left_alone.length)
    for row in (0, 2):
        assert torch.equal(left.reads[row], left_alone.reads[row])
        for ours, theirs in zip(found, alone, strict=True):
            assert torch.equal(ours[row], theirs[row])


def test_the_first_finished_end_a_search_also_where_what_is_alive_is_certain():
    config = BeamConfig(size=2, stop="first-finished")
    standing = searched_everywhere(3, config, 7)
    standing.length.zero_()
    standing.alive.zero_()
    standing.finished.fill_(-9.0)
    logits = torch.zeros(6, 131)
    logits[:, 7] = 100.0
    _, left = selected(logits, standing, config)
    assert (left.alive[:, 0] >= 0).all()
    assert (left.done == 1).all()
