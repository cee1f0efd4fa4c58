"""All digits of float32 from cuDNN.

On GPUs since Ampere, cuDNN multiplies float32 numbers as TF32 unless it is told otherwise: with three digits, and which
ones depends on how many rows are computed together. While a model learns that is noise among other noise. A search
compares scores that are closer than that, so what it finds would depend on its batch mates.
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
    """Within it cuDNN keeps all digits.

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
