"""Headers of every answer, pages of other sites, and errors that nobody expected."""

import json

import pytest

TEXT = "Two men are talking."
PAGE = "http://127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/api/models", "/api/health", "/static/app/style.css", "/nothing"])
def test_every_answer_says_what_a_browser_may_do_with_it(client, path):
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"


def test_no_page_may_show_the_explorer_in_a_frame(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert policy.endswith("frame-ancestors 'none'")


FOREIGN = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site", "origin": PAGE},
    {"origin": "http://attacker.example"},
    {"origin": "http://127.0.0.1:9999"},
    {"origin": "http://127.0.0.1.attacker.example"},
    {"origin": "null"},
    {"origin": "http://["},
    {"origin": ""},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("route", ["trace", "export", "cost", "trace/sha256:0/tensors"])
def test_a_page_of_another_site_may_ask_for_nothing(client, session, monkeypatch, route, headers):
    monkeypatch.setattr(session, "trace", None)
    monkeypatch.setattr(session, "cost", None)
    body = {"trace": {"model": "tiny", "text": TEXT}, "export": {"traces": []}, "cost": {"model": "tiny"}}.get(route)
    answer = client.get(f"/api/{route}", headers=headers) if body is None else None
    answer = answer or client.post(f"/api/{route}", json=body, headers=headers)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"origin": PAGE, "sec-fetch-site": "same-origin"},
        {"origin": PAGE.upper().replace("HTTP", "http")},
    ],
)
def test_its_own_page_and_programs_may(client, headers):
    assert client.post("/api/trace", json={"model": "tiny", "text": TEXT}, headers=headers).status_code == 200


def test_a_link_on_another_site_may_lead_to_the_page(client):
    assert client.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}).status_code == 200


def test_a_simple_request_measures_nothing(client, session, monkeypatch):
    monkeypatch.setattr(session, "cost", None)
    assert client.get("/api/cost", params={"model": "tiny", "n": "11"}).status_code == 405


def test_an_unexpected_error_is_a_problem_without_a_traceback_and_one_line_in_the_log(
    client, session, monkeypatch, caplog
):
    def fail(*_):
        raise KeyError("secret\nof the inside")

    monkeypatch.setattr(session, "trace", fail)
    answer = client.post("/api/trace", json={"model": "tiny", "text": "Something new."})
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "secret" not in answer.text
    assert "Traceback" not in json.dumps(answer.json())
    [record] = [each for each in caplog.records if each.name.startswith("saccade")]
    assert record.exc_info is None
    assert "\n" not in record.getMessage()
    assert "KeyError" in record.getMessage()
    assert "test_protections.py" in record.getMessage()
