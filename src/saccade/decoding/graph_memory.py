"""The memory on which the captured graphs of one search work, shared by all of them.

A graph replays its kernels at fixed addresses, and there is a graph for every shape of a batch. Only one batch is
searched at a time, so all graphs may work at the same addresses: together they need what the largest needs, and a
hundred of them can be kept. With memory of their own, a dozen would fill a GPU.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

# Where a tensor may begin: what torch's own allocator keeps to.
_ALIGNMENT = 512
_SMALLEST_BLOCK = 1 << 20


class GraphMemory:
    """What graphs are captured with: memory for a model's state, for the search's own, and for what lies between."""

    def __init__(self) -> None:
        self.states, self.beams = SharedMemory(), SharedMemory()
        self.pool = torch.cuda.graph_pool_handle()
        """Where torch takes a graph's intermediate results from; no graph reads those of another."""


class SharedMemory:
    """Blocks of memory in which tensors are laid out, over whatever was there before.

    The sizes of blocks are powers of two. So equal shapes always have the same place, and all blocks together are less
    than four times as large as what needs most.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, Tensor] = {}

    def place(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Tensors of the same shapes and types, all contiguous, side by side in one block of memory."""
        sizes = [-(-tensor.numel() * tensor.element_size() // _ALIGNMENT) * _ALIGNMENT for tensor in tensors]
        block, places, start = self._block(sum(sizes), tensors[0].device), [], 0
        for tensor, size in zip(tensors, sizes, strict=True):
            bytes_used = tensor.numel() * tensor.element_size()
            places.append(block[start : start + bytes_used].view(tensor.dtype).view(tensor.shape))
            start += size
        return places

    def _block(self, size: int, device: torch.device) -> Tensor:
        rounded = max(_SMALLEST_BLOCK, 1 << (size - 1).bit_length())
        if rounded not in self._blocks:
            self._blocks[rounded] = torch.empty(rounded, dtype=torch.uint8, device=device)
        return self._blocks[rounded]
