"""Stopping a trace that nobody waits for any more."""

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
