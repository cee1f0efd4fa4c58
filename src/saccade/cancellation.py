"""Stopping work that nobody waits for any more: a trace whose reader has left, a search in another thread after Ctrl-C.

Ctrl-C reaches the main thread alone. Searches that it waits for in other threads would go on to their ends, for minutes
where batches are large, and the program with them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event


class Cancelled(Exception):
    """The work was stopped because somebody asked for that."""


class Cancellation:
    """A request to stop, made by one thread and noticed by another between two steps of its work."""

    def __init__(self) -> None:
        self._requested = Event()

    def request(self) -> None:
        """Asks the work to stop; it does so at its next check."""
        self._requested.set()

    def check(self) -> None:
        """Raises `Cancelled` if somebody has asked to stop."""
        if self._requested.is_set():
            raise Cancelled

    @contextmanager
    def of_searches(self) -> Iterator[None]:
        """Within it, the searches of this thread check for it."""
        before = _of_searches.set(self)
        try:
            yield
        finally:
            _of_searches.reset(before)


_of_searches: ContextVar[Cancellation | None] = ContextVar("cancellation of searches", default=None)


def check_search() -> None:
    """Raises `Cancelled` if somebody has asked the searches of this thread to stop."""
    cancellation = _of_searches.get()
    if cancellation is not None:
        cancellation.check()
