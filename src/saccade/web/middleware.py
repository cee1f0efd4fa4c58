"""What every request passes before it reaches its route, the outermost first.

SecurityHeaders      what a browser may do with an answer
UnexpectedErrors     an exception that nobody expected, or the end of the server, as an answer
OwnPagesOnly         some routes are for our own page and for programs, not for pages of other sites

How an error is written is the server's own affair: each brings a `Refuse`.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # what frame-ancestors says in the page's policy, for older browsers
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_log = logging.getLogger(__name__)


@runtime_checkable
class Refuse(Protocol):
    """Writes an error as an answer: what is wrong, and what to do."""

    def __call__(
        self, status: int, title: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> Response:
        """The answer."""
        ...


class SecurityHeaders:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, with_headers)


class UnexpectedErrors:
    """Answers where nothing else does; the log gets one line, the client nothing of what is inside.

    `server` is what the server calls itself.
    """

    def __init__(self, app: ASGIApp, server: str, refuse: Refuse) -> None:
        self.app = app
        self.server = server
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
            return
        except asyncio.CancelledError:  # only the server cancels a request: when it is stopped
            answer = self.refuse(503, f"{self.server} is being stopped", headers={"Connection": "close"})
        except Exception as error:
            _log.error("%s %r: %s", scope.get("method"), scope.get("path"), _in_one_line(error))
            answer = self.refuse(500, f"{self.server} has made a mistake", hint="Its terminal says where.")
        if not begun:
            await answer(scope, receive, send)


def _in_one_line(error: Exception) -> str:
    last = extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {said} ({Path(last.filename).name}, line {last.lineno})"


class OwnPagesOnly:
    """Refuses requests that a browser sends for a page of another origin, on the routes that it `guards`.

    A browser says so in `Sec-Fetch-Site`, an older one in `Origin`. Programs send neither header, and are let in, as
    are the `origins` that the server was told to trust.
    """

    def __init__(
        self,
        app: ASGIApp,
        server: str,
        refuse: Refuse,
        guards: Callable[[Scope], bool],
        origins: Sequence[str] = (),
    ) -> None:
        self.app = app
        self.server = server
        self.refuse = refuse
        self.guards = guards
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and self.guards(scope) and self._foreign(Headers(scope=scope)):
            refusal = self.refuse(
                403, f"a request must come from {self.server}'s own page", hint="Open the page itself."
            )
            await refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _foreign(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin in self.origins:
            return False
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return True
        if origin is None:
            return False
        try:
            return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
        except ValueError:
            return True
