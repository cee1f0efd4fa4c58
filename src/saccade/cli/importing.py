"""Torch and what needs it, imported without Python's garbage collector."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """For the first import of torch: the garbage collector is off meanwhile, and never looks at what was imported.

    Importing makes two hundred thousand objects, and all of them stay. Looking through them again and again takes a
    tenth of the time of the imports, and each later look at all of them a tenth of a second.
    """
    if "torch" in sys.modules or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
