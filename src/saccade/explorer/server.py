"""The page and its few routes, for a browser on the same machine.

    GET  /                                the page            GET /static/...   its modules and its style sheet
    GET  /api/models                      what there is       GET /api/health
    POST /api/trace                       a sentence through a model: `TraceRequest` is the body
    GET  /api/trace/ID/tensors?names=     tensors of a trace that was made before
    GET  /api/cost?model=&n=              one layer of each kind of Table 1, timed on this machine
    POST /api/export                      traces as one page that needs no server

Pages of other sites cannot use them: the Host header must be ours, and POST bodies must be JSON, which a form of
another site cannot send. Errors are problem+json with title, detail and hint.
"""

import errno
import json
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import Any

import uvicorn
from pydantic import BaseModel, ConfigDict, ValidationError
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
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade import __version__
from saccade.errors import InputError, SaccadeError
from saccade.explorer.page import FOLDER, document, exported_page, served_page
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.what_if import WhatIf

PORT = 8017
LARGEST_BODY = 1_000_000
"""Characters of a request: a sentence is short."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class SearchRequest(BaseModel):
    """Beam size and length penalty; None is what the model was saved with."""

    model_config = ConfigDict(extra="forbid", strict=True)
    size: int | None = None
    alpha: float | None = None


class TraceRequest(BaseModel):
    """A sentence, and what its trace should hold."""

    model_config = ConfigDict(extra="forbid", strict=True)
    model: str
    text: str
    decode: SearchRequest = SearchRequest()
    force: str | None = None
    prefix: str | None = None
    what_if: dict[str, Any] | None = None
    detail: list[str] = ["weights"]

    def options(self) -> TraceOptions:
        """The options of the trace."""
        return TraceOptions(
            size=self.decode.size,
            alpha=self.decode.alpha,
            force=self.force,
            prefix=self.prefix,
            what_if=None if self.what_if is None else WhatIf.from_json(self.what_if),
            detail=tuple(sorted({"weights", *self.detail})),
        )


class ExportRequest(BaseModel):
    """Which traces to write into a page, and the view it opens with."""

    model_config = ConfigDict(extra="forbid", strict=True)
    traces: list[TraceRequest]
    route: str = "#/translate"


def serve(application: Starlette, host: str, port: int | None, opened: Callable[[str], None]) -> None:
    """Serves until interrupted. Port None is the usual one, or any if that is taken; 0 is any that is free."""
    listening = _listening(host, PORT if port is None else port, or_any=port is None)
    with listening:
        opened(f"http://{host}:{listening.getsockname()[1]}/")
        config = uvicorn.Config(application, log_level="warning", ws="none", lifespan="off")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int, or_any: bool) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        if or_any and error.errno == errno.EADDRINUSE:
            return _listening(host, 0, or_any=False)
        raise InputError(
            f"`--host` and `--port` must be free, but {host}:{port} is not ({error.strerror}). Use --port 0."
        ) from None


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
            Route("/api/cost", routes.cost),
            Route("/api/export", routes.export, methods=["POST"]),
            Mount("/static", StaticFiles(directory=FOLDER)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", *hosts]),
            Middleware(_Headers),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=3),
        ],
        exception_handlers={SaccadeError: _mistake, HTTPException: _refused, ValidationError: _unreadable},
    )


class _Headers:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, with_headers)


class _Routes:
    """The handlers. Those that compute are plain functions, so that Starlette runs them in its thread pool."""

    def __init__(self, session: Session, shown: dict[str, Any]) -> None:
        self.session = session
        self.shown = shown

    def page(self, _: Request) -> Response:
        text, policy = served_page(self.shown, asks=bool(self.session.models))
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__, "models": list(self.session.models)})

    def models(self, _: Request) -> Response:
        return JSONResponse(self.session.entries())

    async def trace(self, request: Request) -> Response:
        wanted = TraceRequest.model_validate(await _body(request))
        found = await run_in_threadpool(self.session.trace, wanted.model, wanted.text, wanted.options())
        return JSONResponse(found)

    def tensors(self, request: Request) -> Response:
        found = self.session.kept(request.path_params["identity"])["tensors"]
        names = [name for name in request.query_params.get("names", "").split(",") if name]
        return JSONResponse({name: found[name] for name in names if name in found})

    def cost(self, request: Request) -> Response:
        length = request.query_params.get("n", "")
        asked = int(length) if length.isascii() and length.isdigit() else None
        today = datetime.now().date().isoformat()
        return JSONResponse(self.session.cost(request.query_params.get("model", ""), asked, perf_counter, today))

    async def export(self, request: Request) -> Response:
        asked = ExportRequest.model_validate(await _body(request))
        return HTMLResponse(await run_in_threadpool(self._exported, asked))

    def _exported(self, asked: ExportRequest) -> str:
        traces = [self.session.trace(wanted.model, wanted.text, wanted.options()) for wanted in asked.traces]
        return exported_page(
            document(traces, models=self.session.entries(), route=asked.route, cost=self.session.measured)
        )


async def _body(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "a request must be application/json")
    raw = await request.body()
    if len(raw) > LARGEST_BODY:
        raise HTTPException(413, "a request must be shorter than a million characters")
    try:
        return json.loads(raw)
    except ValueError:
        raise HTTPException(400, "a request must be JSON") from None


def _mistake(_: Request, error: Exception) -> Response:
    """A user's mistake: the first sentence of the message is the title, the rest the hint."""
    said, stop, advice = str(error).partition(". ")
    return _problem(422, said + stop.strip(), hint=advice)


def _unreadable(_: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)
    first = error.errors()[0]
    return _problem(422, f"`{'.'.join(map(str, first['loc']))}` cannot be used: {first['msg']}.")


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, error.detail)


def _problem(status: int, title: str, detail: str = "", hint: str = "") -> Response:
    return JSONResponse(
        {"title": title, "detail": detail, "hint": hint, "status": status},
        status_code=status,
        media_type="application/problem+json",
    )
