"""The explorer as a process of its own: clients that are slow, that leave, that send without end; and Ctrl-C."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

LONG = "The old man and the young woman who live behind the school read long books about the sea. " * 4


@contextmanager
def explorer() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server with the shipped model, and its port."""
    command = [sys.executable, "-m", "saccade.cli.main", "explore", "en-es", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[0]
            yield process, int(address.rstrip("/").rpartition(":")[2])
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with explorer() as running:
        yield running


def head(route: str, length: int | str = 2) -> bytes:
    lines = ["Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {length}"]
    return "\r\n".join([f"POST {route} HTTP/1.1", *lines, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split()[1])


def asked(port: int, size: int, text: str = LONG) -> socket.socket:
    """A connection on which a trace has been asked for."""
    body = json.dumps({"model": "en-es", "text": text, "decode": {"size": size}, "detail": ["influence"]}).encode()
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head("/api/trace", len(body)) + body)
    return connection


def healthy(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", "/api/health", headers={"Connection": "close"})
        return connection.getresponse().read().startswith(b'{"status":"ok"')


def memory(process: subprocess.Popen[str]) -> int:
    """The most memory that the process has had, in kilobytes."""
    return int(Path(f"/proc/{process.pid}/status").read_text().partition("VmHWM:")[2].split()[0])


def wait_until_at_rest(process: subprocess.Popen[str]) -> None:
    """Until no thread of the process has anything to do for half a second: it prepares itself after it has started."""
    tasks = Path(f"/proc/{process.pid}/task")
    if not tasks.exists():
        pytest.skip("the memory of a process is read from /proc")
    deadline, looks = time.monotonic() + 120, 0
    while looks < 10:
        assert time.monotonic() < deadline, "the explorer never comes to rest"
        states = set()
        for task in tasks.iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                states.add((task / "stat").read_text().rpartition(")")[2].split()[0])
        looks = looks + 1 if states == {"S"} else 0
        time.sleep(0.05)


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_without_end_is_refused_and_not_held_in_memory(server, announced):
    process, port = server
    wait_until_at_rest(process)
    before, piece, sent = memory(process), b"a" * 1_000_000, 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        if announced:
            connection.sendall(head("/api/trace", 400_000_000))
        else:
            connection.sendall(head("/api/trace").replace(b"Content-Length: 2", b"Transfer-Encoding: chunked"))
        try:
            for _ in range(400):
                connection.sendall(piece if announced else b"%x\r\n%b\r\n" % (len(piece), piece))
                sent += len(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has closed the connection
        answer = connection.recv(4096)
    assert status(answer) == 413
    assert sent < 100_000_000
    assert memory(process) - before < 50_000
    assert healthy(port)


def test_a_client_that_leaves_is_not_computed_for(server):
    _, port = server
    for number in range(40):  # more than may wait, and no two the same
        asked(port, size=64, text=f"{LONG} {number}").close()
    for _ in range(120):  # the server may need a moment to see that they have left; the forty would take minutes
        with asked(port, size=1, text="Thank you.") as connection:
            answer = status(connection.recv(4096))
        if answer != 503:
            break
        time.sleep(0.25)
    assert answer == 200


def test_a_length_that_is_no_number_or_a_lie_is_refused(server):
    _, port = server
    for request in (head("/api/trace", "x"), head("/api/trace", "-1"), head("/api/trace", 2) + b"{}{}"):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(request)
            assert status(connection.recv(4096)) in (400, 422)
    assert healthy(port)


@pytest.mark.slow
@pytest.mark.parametrize("waiting", ["a sender", "a computation"])
def test_ctrl_c_ends_it_at_once(waiting):
    with explorer() as (process, port):
        if waiting == "a sender":
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            connection.sendall(head("/api/trace", 1000) + b'{"model"')
        else:
            connection = asked(port, size=64)
        with connection:
            assert healthy(port)  # by now the server has read what was sent before
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            assert status(connection.recv(4096)) == 503
    assert (process.returncode, said) == (0, "")
