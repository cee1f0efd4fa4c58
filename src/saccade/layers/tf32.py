"""Full float32 precision from cuDNN, without TF32.

On GPUs since Ampere, cuDNN multiplies float32 numbers as TF32 by default: with three digits, rounded differently for
different batch sizes. In training that is noise among other noise. A search compares scores that are closer than that,
so its outputs would depend on the other sentences of the batch.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.Lock()
_inside = 0
_before = True


@contextmanager
def without_tf32() -> Iterator[None]:
    """Within it cuDNN computes in full float32.

    The switch belongs to the whole process, so threads that are inside at the same time share it: the first switches,
    the last switches back.
    """
    global _inside, _before  # noqa: PLW0603 as the switch itself is global
    with _lock:
        if _inside == 0:
            _before = torch.backends.cudnn.allow_tf32
            torch.backends.cudnn.allow_tf32 = False
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                torch.backends.cudnn.allow_tf32 = _before
