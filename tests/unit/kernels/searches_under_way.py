"""Searches in the middle of their work, and what two ways of choosing candidates must agree on."""

import torch

from saccade.decoding.beam_fast import BeamState
from saccade.decoding.ranking import STEPS_PER_NAT
from saccade.special_tokens import EOS

CAPACITY = 11


def standing_of(sentences, config, seed, device="cpu"):
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


def logits_of(rows, vocabulary, seed, device="cpu"):
    generator = torch.Generator().manual_seed(seed + 1)
    logits = 3 * torch.randn(rows, vocabulary, generator=generator)
    logits[:, EOS] += 4 * torch.rand(rows, generator=generator)
    return logits.to(device)


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


def selected_by(select, logits, standing, config):
    """What a kernel finds, and the standing it leaves behind."""
    left = standing._map(torch.clone)
    return select(logits, left.for_kernels(config)), left
