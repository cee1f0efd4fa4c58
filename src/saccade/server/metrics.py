"""What a server counts and measures, for Prometheus (`GET /metrics`).

saccade_requests_total, saccade_request_seconds   by route, the first also by status
saccade_requests_inside                           being answered or waiting
saccade_queue_lines                               lines that wait for a model
saccade_batch_lines, saccade_batch_tokens         what was searched together
saccade_reloads_total                             folders that changed, by outcome
process_...                                       memory, CPU time and open files of the process
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_LINES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_TOKENS = tuple(2**power for power in range(3, 16))


class Metrics:
    """The measurements of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        counter, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self.requests = counter("saccade_requests", "Requests that were answered.", ["route", "status"])
        self.seconds = histogram("saccade_request_seconds", "Time to an answer.", ["route"], buckets=_SECONDS)
        self.inside = gauge("saccade_requests_inside", "Requests that are being answered or wait.")
        self.queue = gauge("saccade_queue_lines", "Lines that wait for a model.", ["model"])
        self.lines = histogram("saccade_batch_lines", "Lines searched together.", ["model"], buckets=_LINES)
        self.tokens = histogram("saccade_batch_tokens", "Their tokens.", ["model"], buckets=_TOKENS)
        self.reloads = counter("saccade_reloads", "Model folders that changed.", ["model", "outcome"])

    def watch(self, model: str) -> Callable[[int, int], None]:
        """What the worker of a model tells every batch."""

        def batch(lines: int, tokens: int) -> None:
            self.lines.labels(model).observe(lines)
            self.tokens.labels(model).observe(tokens)

        return batch

    def page(self) -> Response:
        """All of it as text."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


class RequestMetrics:
    """Counts and times every request, by the route that answered it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = perf_counter(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            # A path that no route has is not repeated here: anybody could fill the memory with such names.
            route = getattr(scope.get("route"), "path", "none")
            self.metrics.requests.labels(route, str(status)).inc()
            self.metrics.seconds.labels(route).observe(perf_counter() - began)
