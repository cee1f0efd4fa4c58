"""Memory that was freed and is wanted again a moment later.

A training step frees hundreds of large tensors and asks for as many of the same size in the next one. The C library
gives large blocks back to the system at once, and the system hands them out again page by page, each filled with
zeros. Told to keep what is freed, it need not. This pays most where whole matrices of logits come and go.
"""

import ctypes
import sys

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_BYTES = 2**31 - 1


def keep_freed_memory() -> bool:
    """Tells the GNU C library to keep freed memory for this process; False where there is another library."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all([mallopt(option, _BYTES) for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD)])
