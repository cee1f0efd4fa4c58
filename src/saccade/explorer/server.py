"""The page and its few routes, for a browser on the same machine.

    GET  /                                the page            GET /static/...   its modules and its style sheet
    GET  /api/models                      what there is       GET /api/health
    POST /api/trace                       a sentence through a model: `TraceRequest` is the body
    GET  /api/trace/ID/tensors?names=     tensors of a trace that was made before
    POST /api/cost                        one layer of each kind of Table 1, timed on this machine: `CostRequest`
    POST /api/export                      traces as one page that needs no server: `ExportRequest`

Pages of other sites cannot use them: the Host header must be ours, the origin too, and POST bodies must be JSON, which
a form of another site cannot send. Errors are problem+json with title and hint. Only what is new is computed,
one request at a time (`turns.py`); nothing else waits for it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from saccade import __version__
from saccade.cancellation import Cancellation, Cancelled
from saccade.errors import SaccadeError
from saccade.explorer.page import FOLDER, document, exported_page, served_page
from saccade.explorer.requests import CostRequest, ExportRequest, TraceRequest
from saccade.explorer.session import Session
from saccade.explorer.turns import Turns
from saccade.web import listening
from saccade.web.bodies import BodyError, read_json
from saccade.web.middleware import OwnPagesOnly, SecurityHeaders, UnexpectedErrors

PORT = 8017
NAME = "the explorer"


def serve(application: Starlette, host: str, port: int | None, opened: Callable[[str], None]) -> None:
    """Serves until interrupted. Port None is the usual one, or any if that is taken; 0 is any that is free."""
    listening.serve(application, host, PORT if port is None else port, opened, or_any=port is None)


def application(session: Session, hosts: Sequence[str] = (), shown: Mapping[str, Any] | None = None) -> Starlette:
    """The server for these models; `shown` is the document the page opens with."""
    routes = _Routes(session, dict(shown or document(models=session.entries())))
    return Starlette(
        routes=[
            Route("/", routes.page),
            Route("/api/health", routes.health),
            Route("/api/models", routes.models),
            Route("/api/trace", routes.trace, methods=["POST"]),
            Route("/api/trace/{identity}/tensors", routes.tensors),
            Route("/api/cost", routes.cost, methods=["POST"]),
            Route("/api/export", routes.export, methods=["POST"]),
            Mount("/static", StaticFiles(directory=FOLDER)),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(UnexpectedErrors, server=NAME, refuse=problem),
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", *hosts]),
            Middleware(
                OwnPagesOnly, server=NAME, refuse=problem, guards=lambda scope: scope["path"].startswith("/api/")
            ),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=3),
        ],
        exception_handlers={
            SaccadeError: _mistake,
            HTTPException: _refused,
            BodyError: _unreadable,
            Cancelled: _left,
        },
    )


class _Routes:
    """The handlers. Plain functions are quick, and Starlette runs them in its thread pool."""

    def __init__(self, session: Session, shown: dict[str, Any]) -> None:
        self.session = session
        self.shown = shown
        self.turns = Turns()

    def page(self, _: Request) -> Response:
        text, policy = served_page(self.shown, asks=bool(self.session.models))
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__, "models": list(self.session.models)})

    def models(self, _: Request) -> Response:
        return JSONResponse(self.session.entries())

    async def trace(self, request: Request) -> Response:
        found = await self._traced(request, await read_json(request, TraceRequest))
        return await run_in_threadpool(JSONResponse, found)

    def tensors(self, request: Request) -> Response:
        found = self.session.kept(request.path_params["identity"])["tensors"]
        names = [name for name in request.query_params.get("names", "").split(",") if name]
        return JSONResponse({name: found[name] for name in names if name in found})

    async def cost(self, request: Request) -> Response:
        asked = await read_json(request, CostRequest)
        today = datetime.now().date().isoformat()

        def measure(cancellation: Cancellation) -> dict[str, Any]:
            return self.session.cost(asked.model, asked.n, perf_counter, today, cancellation)

        return JSONResponse(await self.turns.run(request, measure))

    async def export(self, request: Request) -> Response:
        asked = await read_json(request, ExportRequest)
        for wanted in asked.traces:  # the last of them may be one that cannot be made
            self.session.model(wanted.model)
            wanted.options()
        traces = [await self._traced(request, wanted) for wanted in asked.traces]
        shown = document(traces, models=self.session.entries(), route=asked.route, cost=self.session.measured)
        return HTMLResponse(await run_in_threadpool(exported_page, shown))

    async def _traced(self, request: Request, wanted: TraceRequest) -> dict[str, Any]:
        """A trace: at once if it was made before, otherwise when its turn comes."""
        options = wanted.options()

        def compute(cancellation: Cancellation) -> dict[str, Any]:
            return self.session.trace(wanted.model, wanted.text, options, cancellation)

        self.session.model(wanted.model)
        found = self.session.made(wanted.model, wanted.text, options)
        return await self.turns.run(request, compute) if found is None else found


def _mistake(_: Request, error: Exception) -> Response:
    """A user's mistake: the first sentence of the message is the title, the rest the hint."""
    said, stop, advice = str(error).partition(". ")
    return problem(422, said + stop.strip(), hint=advice)


def _unreadable(_: Request, error: Exception) -> Response:
    return problem(422, str(error))


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, error.detail, headers=dict(error.headers or {}))


def _left(_: Request, __: Exception) -> Response:
    """For the record only: the client that asked has left."""
    return problem(499, "the client has left")


def problem(status: int, title: str, *, hint: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An error as problem+json."""
    return JSONResponse(
        {"title": title, "hint": hint, "status": status},
        status_code=status,
        headers=headers,
        media_type="application/problem+json",
    )
