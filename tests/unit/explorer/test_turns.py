"""One computation at a time, a bounded number of them waiting, none for a client that has left."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from saccade.cancellation import Cancelled
from saccade.explorer import turns
from saccade.explorer.turns import Turns
from saccade.tracing.options import TraceOptions

SCOPE = {"type": "http", "method": "POST", "headers": []}


def run(coroutine):
    """In a thread of its own: browser tests in the same process leave an event loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def staying() -> Request:
    """A request whose client waits for the answer."""

    async def receive():
        await asyncio.Event().wait()

    return Request(SCOPE, receive)


def leaving(left: asyncio.Event) -> Request:
    """A request whose client leaves when `left` is set."""

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    return Request(SCOPE, receive)


def until_cancelled(begun: threading.Event, stopped: threading.Event):
    """A computation without end that looks for a cancellation between its steps."""

    def compute(cancellation):
        begun.set()
        try:
            while True:
                cancellation.check()
        finally:
            stopped.set()

    return compute


def test_the_result_is_that_of_the_computation():
    async def main():
        return await Turns().run(staying(), lambda _: 7)

    assert run(main()) == 7


def test_an_error_is_that_of_the_computation():
    def fail(_):
        raise ValueError("seven")

    async def main():
        await Turns().run(staying(), fail)

    with pytest.raises(ValueError, match="seven"):
        run(main())


def test_a_computation_stops_when_its_client_leaves_and_the_next_begins():
    begun, stopped = threading.Event(), threading.Event()

    async def main():
        all_turns, left = Turns(), asyncio.Event()
        first = asyncio.create_task(all_turns.run(leaving(left), until_cancelled(begun, stopped)))
        await asyncio.to_thread(begun.wait)
        second = asyncio.create_task(all_turns.run(staying(), lambda _: 7))
        left.set()
        with pytest.raises(Cancelled):
            await first
        assert await second == 7

    run(main())
    assert stopped.wait(60)


def test_a_computation_stops_when_the_server_does():
    begun, stopped = threading.Event(), threading.Event()

    async def main():
        request = asyncio.create_task(Turns().run(staying(), until_cancelled(begun, stopped)))
        await asyncio.to_thread(begun.wait)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request

    run(main())
    assert stopped.wait(60)


def test_who_leaves_while_waiting_is_not_computed_for():
    begun, stopped, computed = threading.Event(), threading.Event(), []

    async def main():
        all_turns, left, second_left = Turns(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(all_turns.run(leaving(left), until_cancelled(begun, stopped)))
        await asyncio.to_thread(begun.wait)
        second = asyncio.create_task(all_turns.run(leaving(second_left), computed.append))
        second_left.set()
        with pytest.raises(Cancelled):
            await second
        assert not stopped.is_set()
        left.set()
        with pytest.raises(Cancelled):
            await first
        assert await all_turns.run(staying(), lambda _: 7) == 7

    run(main())
    assert computed == []


def test_more_than_may_wait_are_told_to_come_back(monkeypatch):
    monkeypatch.setattr(turns, "WAITING", 2)
    begun, stopped = threading.Event(), threading.Event()

    async def main():
        all_turns, left = Turns(), asyncio.Event()
        first = asyncio.create_task(all_turns.run(leaving(left), until_cancelled(begun, stopped)))
        await asyncio.to_thread(begun.wait)
        waiting = [asyncio.create_task(all_turns.run(staying(), lambda _, n=number: n)) for number in (1, 2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(HTTPException) as refused:
            await all_turns.run(staying(), lambda _: 3)
        assert refused.value.status_code == 503
        assert int(refused.value.headers["Retry-After"]) > 0
        left.set()
        with pytest.raises(Cancelled):
            await first
        assert await asyncio.gather(*waiting) == [1, 2]

    run(main())


def test_nothing_that_is_there_already_waits_for_a_computation(client, session, monkeypatch):
    text = "Two men are talking."
    kept = client.post("/api/trace", json={"model": "tiny", "text": text}).json()
    begun, go_on = threading.Event(), threading.Event()
    original = session.trace

    def slow(*arguments):
        with session._computing:
            begun.set()
            assert go_on.wait(60)
        return original(*arguments)

    monkeypatch.setattr(session, "trace", slow)
    with ThreadPoolExecutor(1) as thread:
        new = thread.submit(client.post, "/api/trace", json={"model": "tiny", "text": "She reads."})
        assert begun.wait(60)
        try:
            assert client.get("/api/health").status_code == 200
            assert client.get("/api/models").status_code == 200
            assert client.get("/").status_code == 200
            assert client.get("/static/start.js").status_code == 200
            assert client.get(f"/api/trace/{kept['id']}/tensors", params={"names": "x"}).json() == {}
            assert client.post("/api/trace", json={"model": "tiny", "text": text}).json() == kept
            assert client.post("/api/export", json={"traces": [{"model": "tiny", "text": text}]}).status_code == 200
            assert not new.done()
        finally:
            go_on.set()
        assert new.result().json()["id"] == session.trace("tiny", "She reads.", TraceOptions())["id"]
