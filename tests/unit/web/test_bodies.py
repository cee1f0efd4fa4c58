"""Bodies that are too large, too slow, or never whole."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request

from saccade.web import bodies


class Anything(BaseModel):
    text: str = ""


def asked(receive, **headers):
    """Reads a body that comes as `receive` says; returns the refusal."""
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json"), *sent]}
    with pytest.raises(HTTPException) as refused:
        # In a thread of its own: browser tests in the same process leave an event loop running in the main one.
        ThreadPoolExecutor(1).submit(asyncio.run, bodies.read_json(Request(scope, receive), Anything)).result()
    assert refused.value.headers == {"Connection": "close"}
    return refused.value.status_code


def test_a_body_that_says_it_is_too_large_is_not_read():
    async def receive():
        raise AssertionError("the body was read")

    assert asked(receive, content_length=str(bodies.LARGEST_BODY + 1)) == 413
    assert asked(receive, content_length="9" * 4000) == 413


@pytest.mark.parametrize("length", [None, "3", "-1", "x"])
def test_a_body_without_end_is_read_no_further_than_the_limit(length):
    pieces = []

    async def receive():
        pieces.append(1)
        return {"type": "http.request", "body": b"a" * 100_000, "more_body": True}

    assert asked(receive, **({} if length is None else {"content_length": length})) == 413
    assert len(pieces) == 11


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch):
    async def receive():
        await asyncio.Event().wait()

    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.05)
    assert asked(receive) == 408


def test_a_body_whose_sender_leaves_is_no_mistake_of_the_server():
    async def receive():
        return {"type": "http.disconnect"}

    assert asked(receive) == 400
