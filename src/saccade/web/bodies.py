"""The bodies of requests, with their limits: what is too large or too slow is refused before anything is done with it.

A body is read piece by piece, no further than `LARGEST_BODY` and no longer than `BODY_SECONDS`. JSON is strict: neither
halves of surrogate pairs, nor NaN, nor nesting without end come through.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

LARGEST_BODY = 1_000_000
"""Bytes of a request, unless a route says otherwise: texts are short."""
BODY_SECONDS = 10.0
"""How long the body of a request may take to arrive."""

Body = TypeVar("Body", bound=BaseModel)


class BodyError(Exception):
    """The body of a request is JSON, but not what it must be; the text says what cannot be used."""


async def read_json(request: Request, kind: type[Body]) -> Body:
    """The body of a request. A form of another site cannot send JSON, so nothing else is read."""
    if media_type(request) != "application/json":
        raise HTTPException(415, "a request must be application/json")
    raw = await read_bytes(request)
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise HTTPException(400, "a request must be JSON") from None
        place = ".".join(map(str, first["loc"]))
        raise BodyError(f"`{place:.80}` cannot be used: {first['msg']}.") from None


async def read_bytes(request: Request) -> bytes:
    """The whole body."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return b"".join([piece async for piece in pieces(request, LARGEST_BODY)])
    except TimeoutError:
        raise ended(408, f"a request must arrive within {BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise ended(400, "a request must arrive whole") from None


def media_type(request: Request) -> str:
    """What the request says its body is, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def pieces(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """The body as it arrives, refused as soon as it is longer than it may be."""
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > most:
        raise _too_large(most)
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise _too_large(most)
        yield piece


def _too_large(most: int) -> HTTPException:
    return ended(413, f"a request must have at most {most} bytes")


def ended(status: int, title: str) -> HTTPException:
    """A refusal after which the connection is closed: the rest of the body would only be thrown away."""
    return HTTPException(status, title, headers={"Connection": "close"})
