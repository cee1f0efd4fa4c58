"""Running out of memory, however it is said: by Python, numpy, torch on a CPU or torch on a GPU; and keeping it.

Nothing here loads torch. Its errors are known by name and by text: on a CPU it raises a plain RuntimeError.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from saccade.errors import MemoryFullError

_SMALLER_BATCHES = (
    "Use smaller batches (--batch-tokens, or training.batch_tokens), a smaller beam, or another --device."
)
FOR_A_MODEL = "Free some of it, or choose another --device or a smaller model."
"""What to do about a model that is there and does not fit: smaller batches would not help."""
_TEXTS = (
    "DefaultCPUAllocator",
    "not enough memory",
    "Cannot allocate memory",
    "out of memory",
    "std::bad_alloc",
    "Storage size calculation overflowed",  # more bytes than can be counted
)


def ran_out_of_memory(error: BaseException) -> bool:
    """Whether this error says that there is no memory left."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(text in str(error) for text in _TEXTS)


@contextmanager
def memory_is_enough(what: str, advice: str = _SMALLER_BATCHES) -> Iterator[None]:
    """Within it, running out of memory is an error of ours that names what did not fit."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not ran_out_of_memory(error):
            raise
        raise MemoryFullError(does_not_fit(what, advice)) from error


def does_not_fit(what: str, advice: str = _SMALLER_BATCHES) -> str:
    """One line for a user whose memory is full."""
    return f"{what} must fit into the memory of this machine, but the memory is full. {advice}"


def keep_freed_memory() -> None:
    """From now on torch keeps the memory of tensors that are gone for tensors to come; call it before torch is loaded.

    On ARM torch allocates through mimalloc, which gives freed memory back at once, so that a training asks for every
    page of every tensor anew: a twelfth of the time of a step. Other builds of torch do not read this variable.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")
