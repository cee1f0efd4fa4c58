import json
import socket

import pytest
from starlette.testclient import TestClient

from saccade.errors import InputError
from saccade.explorer.server import application, serve
from saccade.tracing.options import TraceOptions

TEXT = "Two men are talking."


def test_a_trace_is_what_the_session_makes(client, session):
    answer = client.post("/api/trace", json={"model": "tiny", "text": TEXT})
    assert answer.json() == json.loads(json.dumps(session.trace("tiny", TEXT, TraceOptions())))


def test_search_force_and_detail_reach_the_trace(client):
    body = {
        "model": "tiny",
        "text": TEXT,
        "decode": {"size": 2, "alpha": 0.3},
        "force": "A dog.",
        "detail": ["block:dec.0.cross"],
    }
    found = client.post("/api/trace", json=body).json()
    assert found["options"]["decode"] == {"size": 2, "alpha": 0.3}
    assert found["output"]["mode"] == "forced"
    assert "dec.0.cross.q" in found["tensors"]
    assert "enc.0.self.q" not in found["tensors"]


def test_tensors_of_a_trace_that_was_made_can_be_had_by_name(client):
    found = client.post("/api/trace", json={"model": "tiny", "text": TEXT}).json()
    name = "dec.0.cross.weights"
    answer = client.get(f"/api/trace/{found['id']}/tensors", params={"names": f"{name},nothing"})
    assert answer.json() == {name: found["tensors"][name]}
    gone = client.get("/api/trace/sha256:0/tensors", params={"names": name})
    assert gone.status_code == 422
    assert "Ask for the sentence again." in gone.json()["hint"]


@pytest.mark.parametrize(
    ("body", "title", "hint"),
    [
        (
            {"model": "tini", "text": TEXT},
            "`model` must be one of those here (tiny), but is 'tini'.",
            "Did you mean 'tiny'?",
        ),
        ({"model": "no-such", "text": TEXT}, "`model` must be one of those here (tiny), but is 'no-such'.", ""),
        ({"model": "tiny", "text": "  "}, "`text` must hold at least one word, but is empty.", "Type a sentence."),
        ({"model": "tiny"}, "`text` cannot be used: Field required.", ""),
        ({"model": "tiny", "text": TEXT, "colour": 1}, "`colour` cannot be used: Extra inputs are not permitted.", ""),
    ],
)
def test_a_mistake_is_told_with_what_to_do(client, body, title, hint):
    answer = client.post("/api/trace", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["title"], answer.json()["hint"]) == (title, hint)


def test_another_host_is_refused(session):
    with TestClient(application(session), base_url="http://attacker.example") as client:
        assert client.get("/").status_code == 400
    with TestClient(application(session, ["box.local"]), base_url="http://box.local") as client:
        assert client.get("/api/health").json()["models"] == ["tiny"]


def test_every_module_of_the_map_is_served_as_javascript(client):
    page = client.get("/").text
    names = json.loads(page.partition('<script type="importmap">')[2].partition("</script>")[0])["imports"]
    for address in names.values():
        answer = client.get(address.removeprefix("."))
        assert answer.status_code == 200
        assert "javascript" in answer.headers["content-type"]


def test_files_outside_of_the_page_cannot_be_had(client):
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        assert client.get(path).status_code == 404


def test_an_export_is_one_page_with_the_traces_asked_for(client):
    body = {"traces": [{"model": "tiny", "text": TEXT}], "route": "#/heat"}
    answer = client.post("/api/export", json=body)
    assert answer.headers["content-type"].startswith("text/html")
    assert 'id="document"' in answer.text
    assert "data-served" not in answer.text


def test_models_are_told_with_their_papers(client):
    (entry,) = client.get("/api/models").json()
    assert entry["id"] == "tiny"
    assert entry["architecture"] == "transformer"
    assert entry["year"] == 2017


def test_it_listens_where_it_says_until_it_is_stopped(session):
    def stop(address: str) -> None:
        found.append(address)
        raise KeyboardInterrupt

    found: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        serve(application(session), "127.0.0.1", 0, stop)
    assert found[0].startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_an_error_only_for_those_who_named_it(session, monkeypatch):
    addresses: list[str] = []

    def stop(address: str) -> None:
        addresses.append(address)
        raise KeyboardInterrupt

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="must be free"):
            serve(application(session), "127.0.0.1", port, stop)
        monkeypatch.setattr("saccade.explorer.server.PORT", port)
        with pytest.raises(KeyboardInterrupt):
            serve(application(session), "127.0.0.1", None, stop)
    assert addresses != [f"http://127.0.0.1:{port}/"]
