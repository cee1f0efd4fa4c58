"""What the server refuses to read, and that nothing it reads brings it down."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TEXT = "Two men are talking."
TRACE = {
    "model": "tiny",
    "text": TEXT,
    "decode": {"size": 2, "alpha": 0.3},
    "force": "A dog.",
    "prefix": "A",
    "what_if": {"name": "temperature", "value": 2, "block": "dec.0.cross", "head": 0},
    "detail": ["weights"],
}
BODIES = {
    "/api/trace": TRACE,
    "/api/export": {"traces": [TRACE], "route": "#/heat"},
    "/api/cost": {"model": "tinny", "n": 11},  # no such model: a measurement takes seconds
}
JSON = {"content-type": "application/json"}
ENDLESS = 10**4000
HALF = "\ud800"  # half of a surrogate pair


def named(value: object) -> str:
    """A short name of a parameter, with nothing in it that cannot be printed."""
    return ascii(value)[:30] if not isinstance(value, int) or value < 10**9 else "large"


@pytest.fixture
def untouched(session, monkeypatch):
    """The session, with which nothing may be computed."""

    def computed(*_, **__):
        raise AssertionError("something was computed")

    monkeypatch.setattr(session, "trace", computed)
    monkeypatch.setattr(session, "cost", computed)


def paths(value, path=()):
    """Every place in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from paths(part, (*path, key))


def changed(value, path, other):
    """The same JSON value with another one in this place."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], other)
    return copy


PLACES = [(route, path) for route, body in BODIES.items() for path in paths(body)]
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**30)
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(["\ud800", "\x00", "temperature", "shuffled-positions", "head-off", "no-positions", "", " "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(place=st.sampled_from(PLACES), other=ANYTHING)
def test_no_value_at_any_key_is_a_mistake_of_the_server(client, place, other):
    route, path = place
    answer = client.post(route, content=json.dumps(changed(BODIES[route], path, other)), headers=JSON)
    assert answer.status_code < 500, answer.text


@given(raw=st.binary(max_size=60) | st.text(alphabet='{}[]":,0123456789eE.-+\\ud8', max_size=60))
def test_no_bytes_are_a_mistake_of_the_server(client, raw):
    assert client.post("/api/trace", content=raw, headers=JSON).status_code in (400, 422)


@pytest.mark.parametrize(
    ("path", "other", "status"),
    [
        ("decode.size", 0, 422),
        ("decode.size", 65, 422),
        ("decode.size", 1_000_000, 422),
        ("decode.size", ENDLESS, 422),
        ("decode.alpha", -1, 422),
        ("decode.alpha", 1e300, 422),
        ("decode.alpha", float("nan"), 422),
        ("decode.alpha", float("inf"), 422),
        ("text", "a" * 20_001, 422),
        ("force", "a" * 20_001, 422),
        ("prefix", "a" * 20_001, 422),
        ("text", HALF, 400),
        ("force", HALF, 400),
        ("prefix", HALF, 400),
        ("model", HALF, 400),
        ("detail", ["weights"] * 201, 422),
        ("detail", ["block:" + "a" * 300], 422),
        ("detail", ["everything"], 422),
        ("what_if", {"name": "temperature", "value": ENDLESS}, 422),
        ("what_if", {"name": "temperature", "value": 1e-300}, 422),
        ("what_if", {"name": "temperature", "value": float("inf")}, 422),
        ("what_if", {"name": "shuffled-positions", "value": "x"}, 422),
        ("what_if", {"name": "shuffled-positions", "value": -1}, 422),
        ("what_if", {"name": "shuffled-positions", "value": 2**60}, 422),
        ("what_if", {"name": "head-off", "block": "dec.0.cross", "head": ENDLESS}, 422),
    ],
    ids=named,
)
def test_what_is_too_large_is_refused_before_anything_is_computed(client, untouched, path, other, status):
    body = changed(TRACE | {"decode": {"size": 2, "alpha": 0.3}}, path.split("."), other)
    answer = client.post("/api/trace", content=json.dumps(body), headers=JSON)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert "\n" not in answer.json()["title"]
    assert len(answer.text) < 1000


def test_a_beam_of_the_largest_size_is_allowed(client):
    assert client.post("/api/trace", json={"model": "tiny", "text": TEXT, "decode": {"size": 64}}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"traces": [{"model": "tiny", "text": TEXT}] * 65}, 422),
        ({"traces": [], "route": "#/" + "a" * 10_000}, 422),
        ({"traces": [], "route": HALF}, 400),
        ({"traces": [{"model": "tiny", "text": TEXT}, {"model": "tiny", "text": TEXT, "decode": {"size": 99}}]}, 422),
    ],
    ids=named,
)
def test_an_export_that_cannot_be_made_is_refused_before_anything_is_computed(client, untouched, body, status):
    assert client.post("/api/export", content=json.dumps(body), headers=JSON).status_code == status


@pytest.mark.parametrize("length", [0, -1, 2049, ENDLESS, "11", 1.5, True], ids=named)
def test_a_length_that_is_not_measured_is_refused(client, untouched, length):
    body = json.dumps({"model": "tiny", "n": length})
    assert client.post("/api/cost", content=body, headers=JSON).status_code == 422


@pytest.mark.parametrize(
    "raw", ["{", "", "[" * 100_000, '{"a":' * 100_000, '{"text": "\\ud800"}', '{"model": \xff}'], ids=named
)
def test_what_is_no_json_is_refused(client, raw):
    assert client.post("/api/trace", content=raw.encode("latin-1"), headers=JSON).status_code == 400


def test_a_number_with_more_digits_than_python_reads_is_refused(client):
    raw = '{"model": "tiny", "text": "a", "decode": {"size": ' + "9" * 5000 + "}}"
    assert client.post("/api/trace", content=raw, headers=JSON).status_code in (400, 422)


def test_a_form_of_another_site_is_refused(client):
    answer = client.post("/api/trace", content=json.dumps(TRACE), headers={"content-type": "text/plain"})
    assert answer.status_code == 415
