"""API keys: who may ask, and how often.

A file of keys has one on each line, and behind it, if it has a rate of its own, its requests per minute:

    # Weblate
    5c9f0d7e-3c1b-4b36-9f2e-0d6d1b6a7f11    600

In memory there are only digests of the keys, and a given key is compared with all of them in constant time. Where there
are no keys, the rate is that of each client's address.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from saccade.data.text_lines import read_lines
from saccade.errors import InputError

REMEMBERED = 10_000
"""Clients whose last requests are remembered, the most recent ones."""


class RateLimit:
    """So many requests a minute for each client: what it has not used is kept for at most a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, per_minute: float) -> float:
        """Counts one request; returns 0, or the seconds after which it would be allowed."""
        now = self._clock()
        left, since = self._left.pop(client, (per_minute, now))
        left = min(left + (now - since) * per_minute / 60, per_minute)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        while len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) * 60 / per_minute


class ApiKeys:
    """The keys of a file, each with its requests per minute."""

    def __init__(self, keys: Mapping[str, float | None]) -> None:
        self._rates = {_digest(key): rate for key, rate in keys.items()}

    @classmethod
    def read(cls, path: Path) -> "ApiKeys":
        """From a file."""
        keys: dict[str, float | None] = {}
        for number, line in enumerate(read_lines(path), start=1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                rate = float(words[1]) if len(words) > 1 else None
            except ValueError:
                rate = -1.0
            if len(words) > 2 or (rate is not None and not 1 <= rate <= 1e9):
                raise InputError(
                    f"line {number} of `{path}` must be a key, and behind it at most its requests per minute, "
                    "but is not. Part them by a space."
                )
            keys[words[0]] = rate
        if not keys:
            raise InputError(f"`{path}` must have at least one key, but has none. Write one on each line.")
        return cls(keys)

    def find(self, given: str) -> tuple[str, float | None] | None:
        """A name for the key that was given, and its rate; None for a wrong one."""
        digest, found = _digest(given), None
        for known, rate in self._rates.items():
            if hmac.compare_digest(known, digest):
                found = (known.hex(), rate)
        return found


class Access:
    """Who may use the routes that compute. Clients without a rate of their own have `per_minute`; None is no limit."""

    def __init__(self, keys: ApiKeys | None, per_minute: float | None, limit: RateLimit | None = None) -> None:
        self.keys = keys
        self.per_minute = per_minute
        self._limit = limit or RateLimit()

    def check(self, request: Request, asked: Mapping[str, Any]) -> None:
        """Refuses a request without a valid key, where there are keys, and one that comes too soon."""
        client, rate = request.client.host if request.client else "", self.per_minute
        if self.keys is not None:
            given = given_key(request, asked)
            if not given:
                raise HTTPException(400, "Please contact the server operator to get an API key")
            found = self.keys.find(given)
            if found is None:
                raise HTTPException(403, "Invalid API key")
            client, rate = found[0], found[1] or rate
        if rate is not None and (seconds := self._limit.take(client, rate)):
            raise HTTPException(
                429, f"Slowdown: {rate:g} requests per minute", headers={"Retry-After": str(int(seconds) + 1)}
            )


def given_key(request: Request, asked: Mapping[str, Any]) -> str:
    """The key that came with a request: as `api_key`, or as a bearer token."""
    given = asked.get("api_key")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return given if isinstance(given, str) and given else token.strip() if scheme.lower() == "bearer" else ""


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
