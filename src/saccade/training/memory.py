"""The most memory a run has needed so far."""

import resource
import sys

import torch

_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `ru_maxrss` counts in: bytes on macOS, KiB elsewhere."""


def peak_memory(device: torch.device) -> int:
    """In bytes: of tensors on a GPU, where they are what must fit; of the whole process on a CPU."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
