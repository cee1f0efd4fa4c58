"""The most memory a run has needed so far."""

import resource
import sys
from pathlib import Path

import torch

_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `ru_maxrss` counts in: bytes on macOS, KiB elsewhere."""
_STATUS = Path("/proc/self/status")


def peak_memory(device: torch.device) -> int:
    """In bytes: of tensors on a GPU, where they are what must fit; of the whole process on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if _STATUS.exists():
        # What `getrusage` says on Linux begins with the memory of whoever started the program.
        (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
