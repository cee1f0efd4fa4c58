"""Where a server listens, and the names by which it may be called."""

import socket

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from saccade.errors import ConfigError, InputError
from saccade.web.listening import _listening, address, allowed_hosts


@pytest.mark.parametrize(
    ("host", "more", "called", "answers"),
    [
        ("127.0.0.1", [], "localhost", True),
        ("127.0.0.1", [], "attacker.example", False),
        ("127.0.0.1", ["*.example"], "a.example", True),
        ("0.0.0.0", [], "attacker.example", True),
        ("0.0.0.0", ["box.local"], "box.local", True),
        ("0.0.0.0", ["box.local"], "attacker.example", False),
        ("::1", [], "[::1]", True),
        ("::1", [], "attacker.example", False),
    ],
)
def test_a_server_answers_to_its_names_only(host, more, called, answers):
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=allowed_hosts(host, more))
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))], middleware=[hosts])
    with TestClient(app, base_url=f"http://{called}:5000") as client:
        assert (client.get("/").status_code == 200) is answers


@pytest.mark.parametrize("name", ["a*b", "*", "**", "*a", "", "*.*"])
def test_a_pattern_that_is_no_name_is_refused(name):
    with pytest.raises(ConfigError, match="--allow-host"):
        allowed_hosts("127.0.0.1", [name])


@pytest.mark.parametrize("host", ["999.1.1.1", "192.0.2.1", "a" * 70 + ".b"])
def test_a_host_that_is_not_this_machine_is_told_so(host):
    with pytest.raises(InputError, match=r"`--host` must be .* of this machine, but is .*\. Use 127\.0\.0\.1\.$"):
        _listening(host, 0, or_any=False)


def test_a_port_that_is_taken_has_advice_about_the_port():
    with _listening("127.0.0.1", 0, or_any=False) as first:
        port = first.getsockname()[1]
        with pytest.raises(InputError, match=rf"`--port` must be free, but 127\.0\.0\.1:{port} is not .*--port 0"):
            _listening("127.0.0.1", port, or_any=False)


def test_an_answer_does_not_wait_for_its_head_to_be_acknowledged():
    with (
        _listening("127.0.0.1", 0, or_any=False) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_an_address_with_colons_stands_in_brackets():
    assert address("::1", 7) == "http://[::1]:7/"
