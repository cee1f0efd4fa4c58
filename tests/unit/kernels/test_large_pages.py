import torch

from saccade.kernels.large_pages import LargePages


def test_copies_hold_the_same_values_and_do_not_touch_each_other(generator):
    given = [
        torch.randn(3, 5, generator=generator).T,
        torch.arange(7, dtype=torch.int8),
        torch.empty(0),
        torch.randn(3_000_001, generator=generator),
        torch.full((9_000_000,), 2.0),
        torch.arange(11),
    ]
    pages = LargePages()
    copies = [pages.copy(tensor) for tensor in given]
    del pages
    for copy, tensor in zip(copies, given, strict=True):
        assert torch.equal(copy, tensor)
        assert copy.is_contiguous()
    copies[1].fill_(1)
    assert torch.equal(copies[0], given[0])
    assert torch.equal(copies[3], given[3])
