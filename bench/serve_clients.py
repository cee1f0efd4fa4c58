"""Clients of `saccade serve`, for locust (https://locust.io), in an environment of its own; `bench/serve.py` starts it.

Each client sends one request after another: mostly texts, whose answers are compared with translations made without a
server, and among them bodies that are too large, JSON that is none, connections that end before their answer, and
bodies that never arrive. Of another server than ours no answer is compared.
"""

import json
import os
import random
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gevent
from gevent.pool import Group
from locust import HttpUser, events, task

SETTINGS = json.loads(os.environ["SACCADE_BENCH_CLIENTS"])
EXPECTED: dict[str, str] = json.loads(Path(SETTINGS["expected"]).read_text(encoding="utf-8"))
TEXTS = list(EXPECTED)
SLOW = Group()
MOST_SLOW = 32


@events.init.add_listener
def _begin(environment: Any, **_: object) -> None:
    """Ends the run when there have been enough requests; not from within one of the clients, which would end itself."""

    def watch() -> None:
        while environment.stats.total.num_requests < SETTINGS["requests"]:
            gevent.sleep(0.2)
        environment.runner.quit()

    gevent.spawn(watch)


class Client(HttpUser):
    """One client: as fast as it is answered, or so many requests a second."""

    def wait_time(self) -> float:
        """At a rate requests come at random, as those of strangers do: clients in step would all ask at once."""
        if not SETTINGS["per_second"]:
            return 0.0
        return max(0.0, random.expovariate(SETTINGS["per_second"]) - (time.monotonic() - self.asked))

    def on_start(self) -> None:
        """The first request is at random too."""
        self.asked = time.monotonic()
        gevent.sleep(self.wait_time())

    @task
    def ask(self) -> None:
        """A request, good or bad."""
        self.asked = time.monotonic()
        if random.random() < SETTINGS["hostile"]:
            random.choice((self.leave, self.send_too_much, self.send_nonsense, self.send_slowly))()
            return
        texts = random.choices(TEXTS, k=SETTINGS["texts"])
        body = {"q": texts, "source": SETTINGS["source"], "target": SETTINGS["target"]}
        with self.client.post("/translate", json=body, name="translate", catch_response=True) as answer:
            if answer.status_code != 200:
                answer.failure(f"status {answer.status_code}")
            elif SETTINGS["compare"] and answer.json()["translatedText"] != [EXPECTED[text] for text in texts]:
                answer.failure("another translation than without a server")

    def send_too_much(self) -> None:
        """More characters than are allowed."""
        self._refused({"data": json.dumps({"q": "a" * 200_000, "source": "en", "target": "es"})}, "too large")

    def send_nonsense(self) -> None:
        """What is no JSON."""
        self._refused({"data": '{"q": "a", '}, "no JSON")

    def _refused(self, body: dict[str, str], name: str) -> None:
        headers = {"content-type": "application/json"}
        with self.client.post("/translate", **body, headers=headers, name=name, catch_response=True) as answer:
            if answer.status_code == 400:
                answer.success()
            else:
                answer.failure(f"status {answer.status_code}")

    def leave(self) -> None:
        """A request whose client does not wait for the answer."""
        address = urlsplit(self.host)
        body = json.dumps({"q": TEXTS[:3], "source": SETTINGS["source"], "target": SETTINGS["target"]}).encode()
        head = f"POST /translate HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
            connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_slowly(self) -> None:
        """A body that never arrives; the client asks other things meanwhile, as long as few of them wait."""
        if len(SLOW) < MOST_SLOW:
            SLOW.spawn(self._send_slowly)

    def _send_slowly(self) -> None:
        address = urlsplit(self.host)
        head = f"POST /translate HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
            connection.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
            answer = connection.recv(100)
        wrong = None if answer.startswith(b"HTTP/1.1 408") else Exception(f"not 408 but {answer[:20]!r}")
        self.environment.events.request.fire(
            request_type="POST", name="too slow", response_time=0, response_length=len(answer), exception=wrong
        )
