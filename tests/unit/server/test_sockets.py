"""The server behind a real socket: a client that nobody here wrote, clients that leave, and clients that are slow."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection

import pytest
import uvicorn
from libretranslatepy import LibreTranslateAPI

from saccade.server.application import application
from saccade.server.settings import ServerSettings
from saccade.web import bodies, listening

TEXTS = ["A dog.", "Two men.", "She reads.", "The sea."]
HEAD = b"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY = json.dumps({"q": TEXTS, "source": "en", "target": "es"}).encode()


@pytest.fixture(scope="module")
def port(models) -> Iterator[int]:
    """A server in a thread, whose patience with slow senders is short."""
    patience = pytest.MonkeyPatch()
    patience.setattr(listening, "HEAD_SECONDS", 0.3)
    patience.setattr(bodies, "BODY_SECONDS", 0.3)
    config = uvicorn.Config(
        application(models, ServerSettings()), http=listening.Impatient, log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(30)
    patience.undo()


def test_a_client_from_the_package_index_works_unchanged(port, alone):
    client = LibreTranslateAPI(f"http://127.0.0.1:{port}")
    assert client.translate("A dog.", "en", "es") == alone("A dog.")
    assert client.languages()[0] == {"code": "en", "name": "English", "targets": ["es"]}
    assert {one["language"] for one in client.detect("Two men are talking about the sea.")} == {"en", "es"}


def behave(port: int, kind: str) -> object:
    if kind == "good":
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("POST", "/translate", BODY, {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())["translatedText"]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        length = b"Content-Length: %d\r\n\r\n" % (10**9 if kind == "large" else len(BODY))
        connection.sendall(
            {"slow head": HEAD, "slow body": HEAD + length + b"{", "malformed": HEAD + length + b"{" * len(BODY)}.get(
                kind, HEAD + length + BODY
            )
        )
        return None if kind == "leaves" else connection.recv(20).partition(b" ")[2][:3]


def test_who_leaves_sends_nonsense_or_is_slow_disturbs_no_other(port, alone):
    expected = {
        "good": [alone(text) for text in TEXTS],
        "leaves": None,
        "malformed": b"400",
        "large": b"413",
        "slow head": b"",
        "slow body": b"408",
    }
    kinds = [*expected] * 2 + ["good"] * 2
    with ThreadPoolExecutor(8) as clients:
        for kind, found in zip(kinds, clients.map(lambda kind: behave(port, kind), kinds), strict=True):
            assert found == expected[kind], kind


def test_a_connection_may_rest_between_two_requests_but_not_within_a_head(port):
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.connect()
        used = connection.sock
        for pause in (0.5, 0.0):  # more than a head may take
            connection.request("GET", "/health")
            assert connection.getresponse().read()
            time.sleep(pause)
        assert connection.sock is used
        used.sendall(HEAD)
        assert used.recv(20) == b""
