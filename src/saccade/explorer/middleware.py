"""What every request passes before it reaches its route, the outermost first.

SecurityHeaders      what a browser may do with an answer
UnexpectedErrors     an exception that nobody expected, or the end of the server, as an answer
OwnPagesOnly         /api/ is for our own page and for programs, not for pages of other sites
"""

import asyncio
import logging
from pathlib import Path
from traceback import extract_tb
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # what frame-ancestors says in the page's policy, for older browsers
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_log = logging.getLogger(__name__)


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
    """Answers where nothing else does; the log gets one line, the browser nothing of what is inside."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

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
            answer = problem(503, "the explorer is being stopped", headers={"Connection": "close"})
        except Exception as error:
            _log.error("%s %r: %s", scope.get("method"), scope.get("path"), _in_one_line(error))
            answer = problem(500, "the explorer has made a mistake", hint="Its terminal says where.")
        if not begun:
            await answer(scope, receive, send)


def _in_one_line(error: Exception) -> str:
    last = extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {said} ({Path(last.filename).name}, line {last.lineno})"


class OwnPagesOnly:
    """Refuses requests that a browser sends for a page of another origin.

    A browser says so in `Sec-Fetch-Site`, an older one in `Origin`. Programs send neither header, and are let in.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope.get("path", "").startswith("/api/") and _foreign(Headers(scope=scope)):
            refusal = problem(403, "a request must come from the explorer's own page", hint="Open the page itself.")
            await refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _foreign(headers: Headers) -> bool:
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        return True


def problem(
    status: int, title: str, detail: str = "", hint: str = "", headers: dict[str, str] | None = None
) -> Response:
    """An error as problem+json."""
    return JSONResponse(
        {"title": title, "detail": detail, "hint": hint, "status": status},
        status_code=status,
        headers=headers,
        media_type="application/problem+json",
    )
