"""A socket, and uvicorn behind it."""

import asyncio
import errno
import socket
from collections.abc import Callable, Sequence

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from saccade.errors import ConfigError, InputError

HEAD_SECONDS = 10.0
"""How long the head of a request may take to arrive."""
IDLE_SECONDS = 75
"""How long a connection may be kept between two requests: longer than clients and proxies keep theirs.

Where the server ends it first, a request that is already on its way is lost.
"""


def serve(
    application: ASGIApp,
    host: str,
    port: int,
    opened: Callable[[str], None],
    *,
    or_any: bool = False,
    drain_seconds: int = 0,
) -> None:
    """Serves until interrupted or terminated; port 0 is any that is free, as is a port that is taken with `or_any`.

    `opened` is told the address. When it is stopped, requests that have come in have `drain_seconds` to be answered; 0
    stops at once, and waits neither for a computation nor for a client that is slow to send.
    """
    listening = _listening(host, port, or_any)
    with listening:
        opened(address(host, listening.getsockname()[1]))
        config = uvicorn.Config(
            application,
            http=Impatient,
            log_level="warning",
            ws="none",
            lifespan="off",
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=drain_seconds or 1,
        )
        (uvicorn.Server if drain_seconds else _AtOnce)(config).run(sockets=[listening])


def allowed_hosts(host: str, more: Sequence[str] = ()) -> list[str]:
    """The names of a server: who listens everywhere may have any, unless some are named."""
    for name in more:
        if not name or "*" in name.removeprefix("*."):
            raise ConfigError(f"`--allow-host` must be a name, or *. and a name, but is {name[:80]!r}.")
    if host in ("0.0.0.0", "::"):
        return ["127.0.0.1", "localhost", *more] if more else ["*"]
    return ["127.0.0.1", "localhost", host, f"[{host}]", *more]


def address(host: str, port: int) -> str:
    """Where a server can be reached."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class Impatient(H11Protocol):
    """Closes a connection whose client is slow to send the head of a request; the body has a limit of its own."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """A client is there."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a head has come, or more. Between two requests nothing comes, and that is no slowness."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._wait_no_more()

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class _AtOnce(uvicorn.Server):
    """Stops at once."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for request in self.server_state.tasks:
            request.cancel()
        await super().shutdown(sockets)


def _listening(host: str, port: int, or_any: bool) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        if or_any and isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            return _listening(host, 0, or_any=False)
        said = (error.strerror if isinstance(error, OSError) else None) or "it is no name of a host"
        said = said.partition(" (while ")[0]  # Python adds the address, which stands before it
        if isinstance(error, OSError) and error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise InputError(f"`--port` must be free, but {host}:{port} is not ({said}). Use --port 0.") from None
        raise InputError(
            f"`--host` must be a name or an address of this machine, but is {host!r} ({said}). Use 127.0.0.1."
        ) from None
    # Connections inherit it. Without it the body of an answer, sent after its head, waits until the client has
    # acknowledged the head, which takes 40 ms on Linux.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
