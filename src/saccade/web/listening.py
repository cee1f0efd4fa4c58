"""A socket, and uvicorn behind it."""

import errno
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from saccade.errors import InputError


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
            application, log_level="warning", ws="none", lifespan="off", timeout_graceful_shutdown=drain_seconds or 1
        )
        (uvicorn.Server if drain_seconds else _AtOnce)(config).run(sockets=[listening])


def allowed_hosts(host: str) -> list[str]:
    """The names by which a server may be called: who listens everywhere has many, and has asked for it."""
    return ["*"] if host in ("0.0.0.0", "::") else ["127.0.0.1", "localhost", host]


def address(host: str, port: int) -> str:
    """Where a server can be reached."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class _AtOnce(uvicorn.Server):
    """Stops at once."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for request in self.server_state.tasks:
            request.cancel()
        await super().shutdown(sockets)


def _listening(host: str, port: int, or_any: bool) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        if or_any and isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            return _listening(host, 0, or_any=False)
        said = (error.strerror if isinstance(error, OSError) else None) or "it is no name of a host"
        raise InputError(
            f"`--host` and `--port` must be free, but {host}:{port} is not ({said}). Use --port 0."
        ) from None
