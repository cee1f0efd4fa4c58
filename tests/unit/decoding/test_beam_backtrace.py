import torch

from saccade.decoding.beam_backtrace import Trace, joined, packed, unpacked


def trace_of(steps, sentences, size, seed=3):
    generator = torch.Generator().manual_seed(seed)
    return Trace(
        torch.randint(0, 99, (steps, sentences, 2 * size), generator=generator),
        torch.randn(steps, sentences, 2 * size, generator=generator, dtype=torch.float64),
        torch.randint(0, 2 * size, (steps, sentences, size), generator=generator),
        torch.randn(steps, sentences, generator=generator, dtype=torch.float64),
    )


def test_a_packed_trace_is_unpacked_as_it_was():
    trace = trace_of(5, 3, 2)
    for found, expected in zip(unpacked(packed(trace), 2), trace, strict=True):
        assert torch.equal(found, expected)


def test_parts_of_some_sentences_follow_each_other():
    first, second = trace_of(2, 3, 2), trace_of(4, 2, 2, seed=4)
    whole = joined([(torch.arange(3), first), (torch.tensor([2, 0]), second)], 3)
    for found, before, after in zip(whole, first, second, strict=True):
        assert torch.equal(found[:2], before)
        assert torch.equal(found[2:, [2, 0]], after)
        assert not found[2:, 1].any()
