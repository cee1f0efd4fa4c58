"""The bodies that the server reads, with their limits: what is too large is refused before anything is computed.

A body is read piece by piece, no further than `LARGEST_BODY` and no longer than `BODY_SECONDS`, and parsed as strict
JSON: neither halves of surrogate pairs, nor NaN, nor nesting without end come through.
"""

import asyncio
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from saccade.explorer.cost import LONGEST
from saccade.tracing.options import LONGEST_TEXT, TraceOptions
from saccade.tracing.what_if import WhatIf

LARGEST_BODY = 1_000_000
"""Bytes of a request: a sentence is short."""
BODY_SECONDS = 10.0
"""How long the body of a request may take to arrive."""
TRACES = 64
"""How many traces one exported page may hold; as many as a session keeps."""

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
# Of numbers only the size is limited here, so that no arithmetic overflows; each option knows its own range.
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Real = Annotated[float, Field(ge=-1e9, le=1e9)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class SearchRequest(_Strict):
    """Beam size and length penalty; None is what the model was saved with."""

    size: Whole | None = None
    alpha: Real | None = None


class WhatIfRequest(_Strict):
    """A change to the model; `saccade.tracing.what_if` knows the changes."""

    name: Name
    value: Whole | Real | Name | None = None
    block: Name | None = None
    head: Whole | None = None


class TraceRequest(_Strict):
    """A sentence, and what its trace should hold."""

    model: Name
    text: Text
    decode: SearchRequest = SearchRequest()
    force: Text | None = None
    prefix: Text | None = None
    what_if: WhatIfRequest | None = None
    detail: Annotated[list[Name], Field(max_length=200)] = ["weights"]

    def options(self) -> TraceOptions:
        """The options of the trace."""
        return TraceOptions(
            size=self.decode.size,
            alpha=self.decode.alpha,
            force=self.force,
            prefix=self.prefix,
            what_if=None if self.what_if is None else WhatIf(**self.what_if.model_dump()),
            detail=tuple(sorted({"weights", *self.detail})),
        )


class ExportRequest(_Strict):
    """Which traces to write into a page, and the view it opens with."""

    traces: Annotated[list[TraceRequest], Field(max_length=TRACES)]
    route: Annotated[str, Field(max_length=10_000)] = "#/translate"


class CostRequest(_Strict):
    """The model whose layer is measured, and a length that should be among those measured."""

    model: Name
    n: Annotated[int, Field(ge=1, le=LONGEST)] | None = None


Body = TypeVar("Body", bound=BaseModel)


async def read(request: Request, kind: type[Body]) -> Body:
    """The body of a request. A form of another site cannot send JSON, so nothing else is read."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "a request must be application/json")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            raw = await _limited(request)
    except TimeoutError:
        raise _ended(408, f"a request must arrive within {BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise _ended(400, "a request must arrive whole") from None
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        if error.errors(include_input=False, include_context=False)[0]["type"] == "json_invalid":
            raise HTTPException(400, "a request must be JSON") from None
        raise


async def _limited(request: Request) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > LARGEST_BODY:
        raise _too_large()
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > LARGEST_BODY:
            raise _too_large()
    return bytes(raw)


def _too_large() -> HTTPException:
    return _ended(413, f"a request must have at most {LARGEST_BODY} bytes")


def _ended(status: int, title: str) -> HTTPException:
    """A refusal after which the connection is closed: the rest of the body would only be thrown away."""
    return HTTPException(status, title, headers={"Connection": "close"})
