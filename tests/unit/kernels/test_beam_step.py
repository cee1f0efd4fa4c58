"""The kernel against its readable original in torch, `select_candidates`."""

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import BeamState, select_candidates
from saccade.decoding.ranking import MARGIN, STEPS_PER_NAT
from saccade.kernels.beam_step import Bounds, Progress, Rules, Tokens, select
from saccade.sequences import BOS, EOS, PAD

CAPACITY = 11


def standing_of(sentences, config, seed, device):
    """A search that is under way, with empty places, finished outputs and sentences that are done."""
    generator = torch.Generator().manual_seed(seed)
    limits = torch.randint(3, CAPACITY + 1, (sentences,), generator=generator)
    standing = BeamState.initial(limits, CAPACITY, config)
    standing.alive.copy_(-9 * torch.rand(sentences, config.size, generator=generator, dtype=torch.float64))
    standing.alive[:, 1:].masked_fill_(torch.rand(sentences, config.size - 1, generator=generator) < 0.2, -torch.inf)
    ends = (-3 * torch.rand(sentences, config.size, generator=generator, dtype=torch.float64) * STEPS_PER_NAT).round()
    ends[torch.rand(ends.shape, generator=generator) < 0.5] = -torch.inf
    standing.finished.copy_(ends.sort(dim=1, descending=True).values)
    standing.length.copy_(torch.randint(0, 3, (sentences,), generator=generator))
    standing.done.copy_(torch.randint(0, 2, (sentences,), generator=generator))
    return standing.to(device)


def logits_of(rows, vocabulary, seed, device):
    generator = torch.Generator().manual_seed(seed + 1)
    logits = 3 * torch.randn(rows, vocabulary, generator=generator)
    logits[:, EOS] += 4 * torch.rand(rows, generator=generator)
    return logits.to(device)


def selected(logits, standing, config):
    """What the kernel finds, and the standing it leaves behind."""
    left = standing._map(torch.clone)
    progress = Progress(left.reads, left.alive, left.finished, left.length, left.done)
    bounds = Bounds(left.limits, left.penalties, left.largest)
    tokens = Tokens(padding=PAD, end=EOS, start=BOS)
    rules = Rules(config.deciding, config.ending, current_length=config.stop == "current-length")
    return select(logits, progress, bounds, tokens, rules, MARGIN, STEPS_PER_NAT), left


def assert_the_same(found, left, expected, logits, vocabulary):
    parents, standing, trace = expected
    clear = ~(trace.margin <= 1)
    # The plain one takes the logarithm of the softmax in single precision, the kernel adds a normaliser in double.
    for ours, theirs in ((found.scores, trace.scores), (left.alive, standing.alive)):
        torch.testing.assert_close(ours[clear], theirs[clear], rtol=0, atol=1e-5)
    real = clear.unsqueeze(1) & ~trace.scores.isneginf()
    assert torch.equal(found.names[real], trace.ids[real])
    going = clear.unsqueeze(1) & ~standing.alive.isneginf()
    assert torch.equal(found.parents[going], parents[going])
    assert torch.equal(found.onward[going], trace.alive[going])
    assert torch.equal(left.reads[going], standing.reads[going])
    assert torch.equal(left.length, standing.length)
    assert torch.equal(left.done[clear], standing.done[clear])
    finite = clear.unsqueeze(1) & ~standing.finished.isneginf()
    assert torch.equal(left.finished.isneginf()[clear], standing.finished.isneginf()[clear])
    # A grid step is 1.5e-5, so that rounding may fall on either side.
    assert ((left.finished - standing.finished)[finite].abs() <= 1).all()
    assert found.names.amax() < logits.shape[0] * vocabulary


@given(
    sentences=st.integers(1, 3),
    size=st.integers(1, 6),
    vocabulary=st.sampled_from([4, 5, 7, 63, 64, 65, 131, 300]),
    share=st.floats(0.01, 1.0),
    stop=st.sampled_from(["returned", "worst-finished", "current-length", "first-finished"]),
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
