"""Ctrl-C and SIGTERM stop a run after the current step."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopTraining(Exception):
    """What a listener raises to end the training: it has seen enough."""


class StopRequest:
    """Whether a signal has asked the run to stop; the first one puts the previous handlers back."""

    def __init__(self) -> None:
        self.requested = False
        self._previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def install(self) -> None:
        """Handles SIGINT and SIGTERM from here on."""
        for number in self._previous:
            signal.signal(number, self._receive)

    def uninstall(self) -> None:
        """Puts the previous handlers back."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
        self.uninstall()


@contextmanager
def stop_on_signal() -> Iterator[StopRequest]:
    """Turns the first SIGINT or SIGTERM into a request to stop; the second has its usual effect.

    So the loop can finish its step and save, and a second Ctrl-C ends the run at once. A listener that ends the block
    by StopTraining knows nothing of the request, and whoever catches it would go on: that becomes a KeyboardInterrupt.
    Only the main thread may set handlers; in other threads signals are left alone.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    request.install()
    try:
        yield request
    except StopTraining as enough:
        if request.requested:
            raise KeyboardInterrupt from enough
        raise
    finally:
        request.uninstall()
