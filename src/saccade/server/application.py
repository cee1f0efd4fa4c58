"""All routes of a server, and what every request passes on its way to them.

    GET  /health      whether it runs
    everything else   `libretranslate.py`

Pages of other sites cannot use it: the Host header must be ours, and so must the origin, where a browser tells one.
"""

from collections.abc import Callable, Mapping, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from saccade.errors import MemoryFullError, SaccadeError
from saccade.server.admission import Admission
from saccade.server.libretranslate import LibreTranslate
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings
from saccade.tracing.cancellation import Cancelled
from saccade.web import listening
from saccade.web.bodies import BODY_SECONDS
from saccade.web.middleware import OwnPagesOnly, SecurityHeaders, UnexpectedErrors

PORT = 5000
"""LibreTranslate's."""
NAME = "the server"


def application(models: ServedModels, settings: ServerSettings, hosts: Sequence[str] = ()) -> Starlette:
    """The server of these models."""
    admission = Admission(settings)
    return Starlette(
        routes=[
            Route("/health", lambda _: JSONResponse({"status": "ok"})),
            *LibreTranslate(models, admission, settings).routes(),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(UnexpectedErrors, server=NAME, refuse=error),
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", *hosts]),
            Middleware(OwnPagesOnly, server=NAME, refuse=error, guards=lambda scope: scope["method"] != "GET"),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=3),
        ],
        exception_handlers={
            MemoryFullError: _full,
            SaccadeError: _mistake,
            HTTPException: _refused,
            Cancelled: _left,
            ClientDisconnect: _left,
        },
    )


def serve(
    application: Starlette, settings: ServerSettings, host: str, port: int, opened: Callable[[str], None]
) -> None:
    """Serves until interrupted or terminated; every request that has come in by then is answered."""
    longest = int(settings.seconds + BODY_SECONDS) + 5
    listening.serve(application, host, port, opened, drain_seconds=longest)


def error(status: int, title: str, *, hint: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An error as LibreTranslate writes it."""
    return JSONResponse({"error": f"{title}. {hint}" if hint else title}, status_code=status, headers=headers)


def _mistake(_: Request, problem: Exception) -> Response:
    return error(400, str(problem))


def _full(_: Request, problem: Exception) -> Response:
    return error(503, str(problem))


def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return error(problem.status_code, problem.detail, headers=dict(problem.headers or {}))


def _left(_: Request, __: Exception) -> Response:
    """For the record only: the client that asked has left."""
    return error(499, "the client has left")
