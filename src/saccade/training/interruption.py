"""Ctrl-C and SIGTERM as a polite request."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Request:
    """Whether somebody has asked the run to stop."""

    made = False


@contextmanager
def listening() -> Iterator[Request]:
    """Turns the first SIGINT or SIGTERM into a request; the handlers from before are back for the second.

    So the loop can finish its step and save, and somebody in a hurry presses Ctrl-C twice. Only the main thread may
    set handlers; in another thread nobody is listened to.
    """
    request = Request()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def note(_number: int, _frame: FrameType | None) -> None:
        request.made = True
        restore()

    for number in before:
        signal.signal(number, note)
    try:
        yield request
    finally:
        restore()
