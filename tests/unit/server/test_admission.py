"""So many at once, for so long, and no longer than their clients wait."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from saccade.cancellation import Cancelled
from saccade.server.admission import Admission, Departure
from saccade.server.settings import ServerSettings

SCOPE = {"type": "http", "method": "POST", "headers": []}


def run(coroutine):
    """In a thread of its own: browser tests in the same process leave an event loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def request(left: asyncio.Event | None = None) -> Request:
    """A request whose client leaves when `left` is set."""

    async def receive():
        await (left or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    return Request(SCOPE, receive)


def until_gone(departure: Departure) -> None:
    gone = threading.Event()
    with departure.calling(gone.set):
        assert gone.wait(30)
    raise Cancelled


async def emptied(admission: Admission) -> None:
    while admission.inside:
        await asyncio.sleep(0.001)


def test_one_more_than_there_are_places_is_told_to_come_again():
    async def main():
        admission, left = Admission(ServerSettings(requests=2)), asyncio.Event()
        inside = [asyncio.create_task(admission.run(request(left), until_gone)) for _ in range(2)]
        while admission.inside < 2:
            await asyncio.sleep(0.001)
        with pytest.raises(HTTPException) as refused:
            await admission.run(request(), lambda _: 7)
        assert refused.value.status_code == 429
        assert int(refused.value.headers["Retry-After"]) > 0
        left.set()
        for one in inside:
            with pytest.raises(ClientDisconnect):
                await one
        await emptied(admission)
        return await admission.run(request(), lambda _: 7)

    assert run(main()) == 7


def test_what_takes_too_long_is_given_up_and_its_place_is_free_again():
    async def main():
        admission = Admission(ServerSettings(requests=1))
        with pytest.raises(HTTPException) as refused:
            await admission.run(request(), until_gone, seconds=0.02)
        assert refused.value.status_code == 504
        await emptied(admission)
        return await admission.run(request(), lambda _: 7)

    assert run(main()) == 7


def test_an_error_is_that_of_the_computation():
    def fail(_):
        raise ValueError("seven")

    with pytest.raises(ValueError, match="seven"):
        run(Admission(ServerSettings()).run(request(), fail))


def test_a_departure_is_noticed_by_who_comes_too_late():
    departure, calls = Departure(), []
    departure.check()
    departure.happen()
    with departure.calling(lambda: calls.append(1)):
        assert calls == [1]
    with pytest.raises(Cancelled):
        departure.check()
