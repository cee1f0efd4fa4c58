"""Hostile requests to both servers: no answer of 500 or above but a full queue's, none that never comes."""

import json
import os
import re
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.faults.corruption import HOSTILE
from tests.faults.inputs import PIECES
from tests.faults.sandbox import Sandbox
from tests.faults.verdict import Failed, judge, untouched

from saccade.web.bodies import LARGEST_BODY

REQUESTS = 12
PATIENCE = 30.0
BUSY = 503
PATHS = (
    *(
        "/",
        "/api/health",
        "/api/models",
        "/api/trace",
        "/api/cost?model=model&n=4",
        "/api/cost?model=x&n=99999999999",
        "/api/export",
    ),
    *(
        "/static/../server.py",
        "/static/%2e%2e/%2e%2e/server.py",
        "/api/trace/x/tensors?names=a,b",
        "/%00",
        "/api/trace?x=" + "y" * 9000,
    ),
    *(
        "//",
        "/static/",
        "/static/page.css%00",
        "/favicon.ico",
        "/api/cost?model=model&n=-1",
        "/api/cost?n=٣",
        "http://evil/",
    ),
)


TRANSLATION_PATHS = (
    *("/", "/health", "/ready", "/metrics", "/languages", "/spec", "/openapi.json", "/frontend/settings", "/v1/models"),
    *(
        "/translate",
        "/translate?q=a&source=auto&target=b",
        "/translate?q=%ff",
        "/detect",
        "/translate_file",
        "//",
        "/%00",
    ),
    *("/download_file/..", "/download_file/%2e%2e%2f", "/download_file/x.txt", "/static/../application.py", "/static/"),
    *("/v1/translate", "/v1/score", "/suggest", "/translate?q=" + "y" * 9000, "http://evil/"),
)


@dataclass(frozen=True)
class Service:
    """A server: the command that starts it, where to send what, and how long it may take to stop."""

    arguments: tuple[str, ...]
    health: str
    paths: tuple[str, ...]
    posts: tuple[str, ...]
    wanted: Callable[[Random], Any]
    stops_within: float


def services() -> tuple[Service, ...]:
    """The explorer's, and the one that translates, which first waits for requests that are on their way."""
    explore = ("explore", "model", "--sentence", "a b", "--port", "0", "--no-browser")
    posts = ("/translate", "/v1/translate", "/v1/score", "/detect")
    return (
        Service(explore, "/api/health", PATHS, ("/api/trace", "/api/trace", "/api/export"), _wanted, 10.0),
        Service(("serve", "model", "--port", "0"), "/health", TRANSLATION_PATHS, posts, _texts, 30.0),
    )


def run(sandbox: Sandbox, random: Random) -> None:
    """A server of its own, a dozen requests, and Ctrl-C."""
    service = random.choice(services())
    sandbox.bring("model")
    before = sandbox.snapshot()
    child = sandbox.start(*service.arguments)
    try:
        port = _port(sandbox, child)
        for _ in range(REQUESTS):
            sent, strict = _request(random, port, service)
            status = _answer(port, sent, half=random.random() < 0.1)
            if status is not None and status >= 500 and status != BUSY:
                raise Failed(f"status {status} for {sent[:300]!r}")
            if status is None and strict:
                raise Failed(f"no answer to {sent[:300]!r}")
        if _answer(port, f"GET {service.health} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()) != 200:
            raise Failed("the server is not well any more")
        _memory(child)
        waiting = socket.create_connection(("127.0.0.1", port))
        waiting.sendall(
            f"POST {service.posts[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{".encode()
        )
    finally:
        os.kill(child, signal.SIGINT)
    outcome = sandbox.finish(child, service.arguments[0], limit=service.stops_within)
    waiting.close()
    outcome.interrupted = True
    judge(outcome)
    untouched(sandbox, before)


def _port(sandbox: Sandbox, child: int) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = re.search(rb"http://127\.0\.0\.1:(\d+)/", (sandbox.root / "stdout").read_bytes())
        if found:
            return int(found[1])
        time.sleep(0.02)
    raise Failed(f"the server did not start: {(sandbox.root / 'stderr').read_text()[-500:]}")


def _request(random: Random, port: int, service: Service) -> tuple[bytes, bool]:
    """A request, and whether it is well-formed HTTP, so that it must be answered."""
    kind = random.choice(("json", "json", "json", "path", "body", "raw"))
    host = random.choice(
        (f"127.0.0.1:{port}", f"127.0.0.1:{port}", f"127.0.0.1:{port}", "localhost", "evil.example", "")
    )
    lines = [f"Host: {host}", "Connection: close"]
    if random.random() < 0.2:
        lines.append(random.choice(("Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site")))
    if kind == "raw":
        return random.choice(
            (random.randbytes(200), b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n", b"POST /api/trace HTTP/1.1\r\n")
        ), False
    if kind == "path":
        method = random.choice(("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"))
        path = random.choice(service.paths).encode("utf-8").decode("latin-1")
        return f"{method} {path} HTTP/1.1\r\n{_head(lines)}".encode("latin-1"), False
    body = json.dumps(service.wanted(random)).encode() if kind == "json" else _body(random)
    path = random.choice(service.posts)
    lines.append(f"Content-Type: {random.choice(('application/json',) * 5 + ('text/plain',))}")
    length = len(body) if random.random() < 0.9 else random.choice((0, 5, 10**9, -1))
    lines.append(f"Content-Length: {length}")
    # Who goes on sending when the server has closed may never read its answer.
    answered = length == len(body) <= LARGEST_BODY and bool(host)
    return f"POST {path} HTTP/1.1\r\n{_head(lines)}".encode("latin-1") + body, answered


def _head(lines: list[str]) -> str:
    return "\r\n".join(lines) + "\r\n\r\n"


def _wanted(random: Random) -> Any:
    """A request for a trace with some of its values replaced, or for a page with such traces."""
    wanted: dict[str, Any] = {
        "model": "model",
        "text": random.choice(("a b c", "", *PIECES)),
        "decode": {"size": random.choice((1, 2, 1_000_000, -1)), "alpha": random.choice((0.6, -9.0, 1e300))},
        "force": random.choice((None, "c b a", *PIECES)),
        "prefix": random.choice((None, "c", *PIECES)),
        "what_if": random.choice((None, {"name": "no-scale"}, {"name": "x"}, {"name": "no-scale", "layer": 10**9})),
        "detail": random.choice((["weights"], ["all"], ["block:x"], ["x"] * 1000)),
    }
    for _ in range(random.choice((0, 1, 2))):
        key = random.choice((*wanted, "extra"))
        value = random.choice(HOSTILE)
        wanted[key] = None if isinstance(value, float) and value != value else value
    if random.random() < 0.2:
        return {
            "traces": random.choice(([wanted], [wanted] * 200, wanted, [])),
            "route": random.choice(("#/translate", *PIECES)),
        }
    return wanted


def _texts(random: Random) -> Any:
    """Texts to translate, or pairs to score, with some of the values replaced."""
    wanted: dict[str, Any] = {
        "q": random.choice(("a b c", list(PIECES), *PIECES)),
        "source": random.choice(("auto", "en", "", None)),
        "target": random.choice(("es", "", 7)),
        "format": random.choice(("text", "html", "x")),
        "alternatives": random.choice((0, 3, 10**9, "x")),
    }
    if random.random() < 0.6:
        wanted = {
            "texts": random.choice((["a b c"], list(PIECES), [], "a")),
            "nbest": random.choice((1, 2, 65)),
            "beam": random.choice((None, 2, 64, 10**9)),
            "prefix": random.choice(("", "c", *PIECES)),
            "glossary": random.choice(({}, {"a": "b"}, {"": ""}, {piece: "x" for piece in PIECES})),
            "scores": random.choice((True, False)),
            "alignment": random.choice((True, False)),
        }
    elif random.random() < 0.5:
        wanted = {"pairs": [{"source": random.choice(PIECES), "target": random.choice(PIECES)} for _ in range(3)]}
    for _ in range(random.choice((0, 0, 1, 2))):
        value = random.choice(HOSTILE)
        wanted[random.choice((*wanted, "extra"))] = None if isinstance(value, float) and value != value else value
    return wanted


def _body(random: Random) -> bytes:
    return random.choice(
        (
            b"[" * 100_000,
            b'{"a":' * 5000,
            b"9" * 5000,
            b'{"model": "model", "text": "\\ud800"}',
            b'{"model": "model", "text": "a", "force": "\\udfff"}',
            b'{"model": "model", "text": NaN}',
            b'{"model": "model", "text": "a", "decode": {"size": ' + b"9" * 4000 + b"}}",
            b"x" * 2_000_000,
            b"\xff\xfe",
            b"",
            random.randbytes(100),
        )
    )


def _answer(port: int, sent: bytes, half: bool = False) -> int | None:
    """The status of the answer; None where the connection ended without one. `half` leaves before it comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(sent[: len(sent) // 2] if half else sent)
            if half:
                return 0
            if b"Content-Length: 1000000000" in sent or b"\r\n\r\n" not in sent:
                connection.shutdown(socket.SHUT_WR)
            start = connection.recv(64)
        except TimeoutError:
            raise Failed(f"no answer within {PATIENCE:.0f} s to {sent[:300]!r}") from None
        except OSError:  # the server has closed the connection, at whatever moment
            return None
    found = re.match(rb"HTTP/1\.1 (\d+)", start)
    return int(found[1]) if found else None


def _memory(child: int) -> None:
    """The peak may not show that a request was kept in memory."""
    status = f"/proc/{child}/status"
    if os.path.exists(status):
        with open(status) as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) >> 10
        if peak > 2500:
            raise Failed(f"{peak:,} MB in memory")
