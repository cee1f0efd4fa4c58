"""Weights in large pages of memory.

A search reads all weights in every step. In pages of four kilobytes a CPU has to look up where each lies; of two
megabytes, which Linux gives to whoever asks for them, it knows them all. Elsewhere this is memory like any other.
"""

import mmap
from contextlib import suppress

import torch
from torch import Tensor

_PAGE = 1 << 21
_BLOCK = 16 * _PAGE
_ALIGNED = 64


class LargePages:
    """Copies of tensors, side by side in blocks of large pages; memory that holds no copy is not taken."""

    def __init__(self) -> None:
        self._free = torch.empty(0, dtype=torch.uint8)

    def copy(self, values: Tensor) -> Tensor:
        """The same values, one after another; they stay for as long as the copy does."""
        size = -(-values.nbytes // _ALIGNED) * _ALIGNED
        if size > len(self._free):
            self._free = _block(max(size, _BLOCK))
        place, self._free = self._free[: values.nbytes], self._free[size:]
        return place.view(values.dtype).view(values.shape).copy_(values)


def _block(size: int) -> Tensor:
    memory = mmap.mmap(-1, size + _PAGE)  # a page more than is needed, to begin where one begins
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    block = torch.frombuffer(memory, dtype=torch.uint8)
    return block[-block.data_ptr() % _PAGE :]
