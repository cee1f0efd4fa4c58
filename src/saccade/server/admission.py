"""Who may come in: so many requests at once, each for so long, and for no longer than its client waits.

A request is computed in a thread, which waits most of the time for the model (`request_batching.py`). One that finds
all places taken is told at once to come again later; nobody waits without end.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from saccade.cancellation import Cancelled
from saccade.server.settings import ServerSettings
from saccade.web.connections import while_connected

Result = TypeVar("Result")
RETRY_SECONDS = 2


class Departure:
    """A client that may leave: whatever is done for it ends then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gone = False
        self._calls: list[Callable[[], None]] = []

    def happen(self) -> None:
        """The client has left."""
        with self._lock:
            self._gone = True
            calls = list(self._calls)
        for call in calls:
            call()

    @contextmanager
    def calling(self, call: Callable[[], None]) -> Iterator[None]:
        """Within it, `call` is called when the client leaves, and at once if it has left."""
        with self._lock:
            gone = self._gone
            self._calls.append(call)
        if gone:
            call()
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    def check(self) -> None:
        """Raises `Cancelled` if the client has left."""
        if self._gone:
            raise Cancelled


class Admission:
    """The places of a server, and a thread for each."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.inside = 0
        self._threads = ThreadPoolExecutor(settings.requests, thread_name_prefix="saccade-request")

    async def run(
        self, request: Request, compute: Callable[[Departure], Result], seconds: float | None = None
    ) -> Result:
        """Computes in a thread; gives up when the client leaves or the time is over."""
        seconds = seconds or self.settings.seconds
        if self.inside >= self.settings.requests:
            raise HTTPException(
                429,
                f"Slowdown: {self.settings.requests} requests are being answered. Come again later.",
                headers={"Retry-After": str(RETRY_SECONDS)},
            )
        departure = Departure()
        self.inside += 1
        work = asyncio.get_running_loop().run_in_executor(self._threads, compute, departure)
        work.add_done_callback(self._leave)

        async def finished() -> Result:
            return await asyncio.shield(work)  # a thread cannot be stopped from outside; `departure` asks it to stop

        try:
            async with asyncio.timeout(seconds):
                return await while_connected(request, finished())
        except TimeoutError:
            raise HTTPException(504, f"the translation took longer than {seconds:g} seconds") from None
        finally:
            departure.happen()

    def _leave(self, work: "asyncio.Future[Result]") -> None:
        """A place is free when its thread is, not when its client has left."""
        self.inside -= 1
        if not work.cancelled():
            work.exception()  # looked at, or asyncio would say that nobody has
