"""The service as a process of its own: real sockets, many clients, hostile ones among them; and SIGTERM."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from libretranslatepy import LibreTranslateAPI

import saccade

TEXTS = [
    "Where is the train station?",
    "I have two dogs. They are called Max and Moritz.",
    "Thank you.",
    "She paid $1,234.56 for 3 tickets.",
    "He said that he would come tomorrow, but nobody believed him.",
    "Good morning! How are you?",
    "See https://example.org/a?b=c for more.",
    "The weather is nice today.",
]
PAIR = {"source": "en", "target": "es"}
HEAD = b"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
pytestmark = pytest.mark.slow  # the same with a small model is in unit/server/test_sockets.py


@contextmanager
def service(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server with the shipped model, and its port."""
    command = [sys.executable, "-m", "saccade.cli.main", "serve", "en-es", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(line for line in process.stdout if line.startswith("http"))
            yield process, int(re.findall(r":(\d+)/", address)[0])
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with service("--characters", "5000", "--requests", "64") as running:
        yield running


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """What `saccade translate --engine auto` writes."""
    translator = saccade.load("en-es", device="cpu", engine="auto")
    return dict(zip(TEXTS, translator.translate(TEXTS), strict=True))


def asked(port: int, body: bytes, path: str = "/translate", kind: str = "application/json") -> tuple[int, dict]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST", path, body, {"Content-Type": kind})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def memory(process: subprocess.Popen[str]) -> int:
    """MB that are resident."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) >> 10


def behave(port: int, seed: int, expected: dict[str, str]) -> int:
    """One request of one client, good or bad; returns 1 where a translation was compared."""
    draw = random.Random(seed)
    kind = draw.choice(["good"] * 6 + ["leaves", "large", "malformed", "half"])
    some = draw.sample(TEXTS, draw.randint(1, 4))
    body = json.dumps({"q": some, **PAIR}).encode()
    if kind == "good":
        status, answer = asked(port, body)
        assert status == 200
        assert answer == {"translatedText": [expected[text] for text in some]}
        return 1
    if kind == "malformed":
        assert asked(port, body[: draw.randrange(1, len(body) - 1)])[0] == 400
        return 0
    if kind == "large":
        assert asked(port, json.dumps({"q": "a" * 6000, **PAIR}).encode())[0] == 400
        return 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + (body if kind == "leaves" else body[:7]))
    return 0


def test_answers_are_right_among_clients_that_leave_and_send_nonsense(server, expected):
    process, port = server
    with ThreadPoolExecutor(8) as clients:
        compared = sum(clients.map(lambda seed: behave(port, seed, expected), range(60)))
    assert compared > 20
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", "/metrics")
        counted = connection.getresponse().read().decode()
    assert "saccade_queue_lines" in counted
    assert 'status="500"' not in counted


def test_a_client_from_the_package_index_works_unchanged(server, expected):
    client = LibreTranslateAPI(f"http://127.0.0.1:{server[1]}")
    assert client.translate(TEXTS[0], "en", "es") == expected[TEXTS[0]]
    assert client.languages()[0] == {"code": "en", "name": "English", "targets": ["es"]}
    assert client.detect(TEXTS[4])[0]["language"] == "en"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_documented_examples_are_answered_as_shown(server):
    document = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
    examples = re.findall(r"^\$ (curl .*)\n([{\[].*)$", document, re.MULTILINE)
    assert len(examples) > 5
    for command, shown in examples:
        words = [word.replace("localhost:5000", f"127.0.0.1:{server[1]}") for word in shlex.split(command)]
        assert json.loads(subprocess.run(words, capture_output=True, check=True).stdout) == json.loads(shown), command


def test_a_body_without_end_is_refused_and_not_kept(server):
    process, port = server
    before = memory(process) if Path("/proc/self/status").exists() else 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(HEAD + b"Content-Length: 400000000\r\n\r\n" + b"a" * 1000)
        assert connection.recv(100).split()[1] == b"413"
    if before:
        assert memory(process) < before + 100


def test_terminated_it_answers_what_has_come_in_and_ends():
    lines = [f"{text} {number}" for number in range(4) for text in TEXTS]  # all different: it must take a while
    found = saccade.load("en-es", device="cpu", engine="auto").translate(lines)
    with service() as (process, port), ThreadPoolExecutor(8) as clients:
        many = json.dumps({"q": lines, **PAIR}).encode()
        waiting = [clients.submit(asked, port, many) for _ in range(8)]
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            while True:  # until all of them have come in
                connection.request("GET", "/metrics")
                told = connection.getresponse().read().decode()
                inside = float(re.findall(r"^saccade_requests_inside (\S+)", told, re.M)[0])
                if inside + sum(one.done() for one in waiting) >= len(waiting):
                    break
                time.sleep(0.01)
        assert inside > 0
        slow = socket.create_connection(("127.0.0.1", port), timeout=60)
        slow.sendall(b"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\n")  # and never ends its head
        os.kill(process.pid, signal.SIGTERM)
        for one in waiting:
            assert one.result(60) == (200, {"translatedText": found})
        process.wait(60)
        slow.close()
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_hundreds_of_requests_leave_no_memory_behind(server, expected):
    process, port = server
    with ThreadPoolExecutor(8) as clients:
        sum(clients.map(lambda seed: behave(port, seed, expected), range(1000, 1060)))
        before = memory(process)
        assert sum(clients.map(lambda seed: behave(port, seed, expected), range(2000, 2160))) > 60
    assert memory(process) < before + 60


def test_who_is_slow_to_send_is_given_up_while_others_are_answered(server, expected):
    _, port = server
    heads = [HEAD + b"Content-Length: 50\r\n\r\n{", HEAD + b"Content-"]
    connections = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in heads * 40]
    for connection, head in zip(connections, heads * 40, strict=True):
        connection.sendall(head)
    assert behave(port, 3, expected) in (0, 1)
    for connection, head in zip(connections, heads * 40, strict=True):
        said = connection.recv(100)
        assert said.startswith(b"HTTP/1.1 408") if head.endswith(b"{") else not said
        connection.close()
