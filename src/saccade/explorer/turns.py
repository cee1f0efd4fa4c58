"""Computations take turns: one at a time, in the order of the requests, and none for a client that has left.

Several at once would compete for the same CPU cores. Whoever waits does so in the event loop, where it occupies no
thread, and gives its place up when its client leaves.
"""

from collections.abc import Callable
from typing import TypeVar

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from saccade.cancellation import Cancellation, Cancelled
from saccade.web.connections import while_connected

WAITING = 32
"""How many requests may wait for their turn; a page sends a few at a time."""
RETRY_SECONDS = 2

Result = TypeVar("Result")


class Turns:
    """The turns of one server."""

    def __init__(self) -> None:
        self._turn = anyio.Lock()

    async def run(self, request: Request, compute: Callable[[Cancellation], Result]) -> Result:
        """Computes in a thread when the turn of this request comes; stops when its client, or the server, leaves."""
        if self._turn.statistics().tasks_waiting >= WAITING:
            raise HTTPException(
                503, f"at most {WAITING} requests may wait for their turn", headers={"Retry-After": str(RETRY_SECONDS)}
            )
        cancellation = Cancellation()
        try:
            return await while_connected(request, self._in_turn(compute, cancellation))
        except ClientDisconnect:
            raise Cancelled from None
        finally:
            cancellation.request()

    async def _in_turn(self, compute: Callable[[Cancellation], Result], cancellation: Cancellation) -> Result:
        async with self._turn:
            return await run_in_threadpool(compute, cancellation)
