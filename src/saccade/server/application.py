"""All routes of a server, and what every request passes on its way to them.

    GET  /                      a page to try it, and /static/... its files
    GET  /health                whether it runs
    GET  /ready                 whether its models answer
    GET  /metrics               what it counts and measures (`metrics.py`)
    GET  /openapi.json, /spec   what all routes take and answer
    everything else             `libretranslate.py` and `v1.py`

Pages of other sites cannot use it: the Host header must be ours, and so must the origin, where a browser tells one.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from saccade.cancellation import Cancelled
from saccade.errors import MemoryFullError, SaccadeError
from saccade.server.admission import Admission
from saccade.server.api_keys import Access
from saccade.server.libretranslate import LibreTranslate
from saccade.server.metrics import RequestMetrics
from saccade.server.openapi import openapi_document
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings
from saccade.server.uploads import UPLOAD_SECONDS
from saccade.server.v1 import Version1
from saccade.web import listening
from saccade.web.bodies import BODY_SECONDS, BodyError
from saccade.web.middleware import OwnPagesOnly, SecurityHeaders, UnexpectedErrors

NAME = "the server"
PAGE = Path(__file__).parent / "page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may do: load its own files, and ask its own server."""


def application(
    models: ServedModels,
    settings: ServerSettings,
    hosts: Sequence[str] = (),
    access: Access | None = None,
    origins: Sequence[str] = (),
    explorer: str | None = None,
) -> Starlette:
    """The server of these models; pages of these `origins` may use it too, and its own links to an `explorer`."""
    admission = Admission(settings)
    access = access or Access(None, None)
    metrics = models.metrics
    metrics.inside.set_function(lambda: float(admission.inside))

    def measurements(request: Request) -> Response:
        if access.keys is not None:
            access.check(request, {})
        return metrics.page()

    def ready(request: Request) -> Response:
        asleep = [model.name for model in models if not model.batcher.alive]
        return error(503, f"these models do not answer: {', '.join(asleep)}") if asleep else ok(request)

    described = openapi_document()
    return Starlette(
        routes=[
            Route("/", lambda _: FileResponse(PAGE / "index.html", headers={"Content-Security-Policy": POLICY})),
            Mount("/static", StaticFiles(directory=PAGE)),
            Route("/health", ok),
            Route("/ready", ready),
            Route("/metrics", measurements),
            *[Route(path, lambda _: JSONResponse(described)) for path in ("/openapi.json", "/spec")],
            *LibreTranslate(models, admission, access, explorer).routes(),
            *Version1(models, admission, access).routes(),
        ],
        middleware=[
            Middleware(RequestMetrics, metrics=metrics),
            Middleware(SecurityHeaders),
            Middleware(UnexpectedErrors, server=NAME, refuse=error),
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", *hosts]),
            *([Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"])] if origins else []),
            Middleware(
                OwnPagesOnly,
                server=NAME,
                refuse=error,
                guards=lambda scope: scope["method"] not in ("GET", "HEAD"),
                origins=origins,
            ),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=3),
        ],
        exception_handlers={
            MemoryFullError: _full,
            BodyError: _mistake,
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
    longest = int(max(settings.seconds + BODY_SECONDS, settings.file_seconds + UPLOAD_SECONDS)) + 5
    listening.serve(application, host, port, opened, drain_seconds=longest)


def ok(_: Request) -> Response:
    """That all is well."""
    return JSONResponse({"status": "ok"})


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
