"""A search that nobody waits for any more ends before its next steps.

Ctrl-C reaches the main thread alone. Searches that it waits for in other threads would go on to their ends, for minutes
where batches are large, and the program with them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_abandoned: ContextVar[Event | None] = ContextVar("abandoned", default=None)


class AbandonedError(Exception):
    """What a search ends with that nobody waits for: there is nobody to read it."""


@contextmanager
def until(abandoned: Event) -> Iterator[None]:
    """Within it, the searches of this thread end soon after the event."""
    before = _abandoned.set(abandoned)
    try:
        yield
    finally:
        _abandoned.reset(before)


def check() -> None:
    """Ends the search that this thread is in, if it was abandoned."""
    abandoned = _abandoned.get()
    if abandoned is not None and abandoned.is_set():
        raise AbandonedError
