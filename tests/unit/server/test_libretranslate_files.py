"""Alternatives, files, keys and rates, as LibreTranslate's own tests ask for them."""

import pytest
from starlette.testclient import TestClient

from saccade.server.api_keys import Access, ApiKeys, RateLimit
from saccade.server.application import application
from saccade.server.settings import ServerSettings
from saccade.server.uploads import TranslatedFiles
from saccade.serving.document_translation import read_document

PAIR = {"source": "en", "target": "es"}
ASKED = PAIR | {"q": "A dog."}


def test_alternatives_are_other_translations_of_the_same_text(client, alone):
    answer = client.post("/translate", json=ASKED | {"alternatives": 3}).json()
    assert answer["translatedText"] == alone("A dog.")
    assert answer["alternatives"] == others(alone("A dog."), alone("A dog.", beam=4, nbest=4))
    several = client.post("/translate", json=PAIR | {"q": ["A dog.", ""], "alternatives": 1}).json()
    assert several["alternatives"] == [others(alone("A dog."), alone("A dog.", nbest=2))[:1], []]


def others(best, texts):
    assert len(texts) > 1
    return [text for text in texts if text != best]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        ("abc", "Invalid request: alternatives parameter is not a number"),
        ([1], "Invalid request: alternatives parameter is not a number"),
        (11, "Invalid request: alternatives parameter must be <= 10"),
        (-1, "Invalid request: alternatives parameter must be <= 10"),
    ],
)
def test_a_number_of_alternatives_that_is_none_is_refused(client, count, said):
    answer = client.post("/translate", json=ASKED | {"alternatives": count})
    assert (answer.status_code, answer.json()["error"]) == (400, said)


def sent(client, content: bytes, name: str, **data):
    return client.post("/translate_file", data=PAIR | data, files={"file": (name, content)})


def fetched(client, answer) -> bytes:
    assert answer.status_code == 200, answer.text
    address = answer.json()["translatedFileUrl"]
    found = client.get(address[address.index("/download_file") :])
    assert found.status_code == 200
    assert found.headers["content-disposition"].startswith("attachment")
    assert found.headers["x-content-type-options"] == "nosniff"
    return found.content


def test_lines_of_text_are_translated_line_by_line(client, alone):
    lines = ["Two men.", "", "A dog."]
    assert fetched(client, sent(client, "\n".join([*lines, ""]).encode(), "notes.TXT")).decode() == "\n".join(
        [*map(alone, lines), ""]
    )


def test_a_document_is_what_the_translator_writes(client, translator, tmp_path):
    page = b'<!doctype html><p title="A dog.">Two <b>men</b>.</p>'
    (tmp_path / "page.html").write_bytes(page)
    translator.translate_file(tmp_path / "page.html", tmp_path / "out.html", repair=False)
    found = fetched(client, sent(client, page, "../../etc/passwd/page.html"))
    assert found == read_document(tmp_path / "out.html")


@pytest.mark.parametrize(
    ("name", "content", "change", "said"),
    [
        ("program.exe", b"MZ", {}, "Invalid request: file format not supported"),
        ("", b"x", {}, "Invalid request: file format not supported"),
        ("a.txt", b"x", {"target": "zz"}, "zz is not supported"),
        ("a.txt", b"x", {"source": "zz"}, "zz is not supported"),
        ("a.txt", b"x", {"source": ""}, "Invalid request: missing source parameter"),
        ("a.txt", b"\xff", {}, "`file` must be UTF-8, but is not. Convert it first."),
    ],
)
def test_a_file_that_cannot_be_translated_is_refused(client, name, content, change, said):
    answer = sent(client, content, name, **change)
    assert answer.status_code == 400
    assert answer.json()["error"] == said or not name  # without a name it is no file


def test_a_request_without_a_file_is_refused(client):
    assert client.post("/translate_file", data=PAIR).status_code == 400
    assert client.post("/translate_file", data=PAIR, files={"other": ("a.txt", b"x")}).status_code == 400
    broken = {"content-type": "multipart/form-data"}
    assert client.post("/translate_file", content=b"--x", headers=broken).status_code == 400


def test_a_file_that_is_too_large_is_refused_and_nothing_can_be_fetched_by_path(models):
    settings = ServerSettings(file_bytes=1000)
    with TestClient(application(models, settings), base_url="http://127.0.0.1") as small:
        assert sent(small, b"x" * 1001, "a.txt").status_code == 413
        for name in ("x.txt", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00"):
            assert small.get(f"/download_file/{name}").status_code == 404


def test_a_file_is_kept_for_a_while(monkeypatch):
    now = [0.0]
    files = TranslatedFiles(lambda: now[0])
    name = files.keep(b"one", ".txt")
    assert files.get(name) == b"one"
    now[0] = 1801
    assert files.get(name) is None
    monkeypatch.setattr("saccade.server.uploads.KEPT_BYTES", 5)
    newer = [files.keep(b"four", ".txt") for _ in range(3)]
    assert [files.get(one) for one in newer] == [None, None, b"four"]


def test_only_a_known_key_is_let_in_and_only_as_often_as_it_may(models, tmp_path):
    (tmp_path / "keys").write_text("# Weblate\nfirst-key 2\n\nsecond-key\n")
    now = [0.0]
    access = Access(ApiKeys.read(tmp_path / "keys"), None, RateLimit(lambda: now[0]))
    with TestClient(application(models, ServerSettings(), access=access), base_url="http://127.0.0.1") as guarded:

        def status(**more) -> int:
            return guarded.post("/detect", json={"q": "Hello"} | more.pop("json", {}), **more).status_code

        missing = guarded.post("/detect", data={"q": "Hello"})
        assert missing.json() == {"error": "Please contact the server operator to get an API key"}
        wrong = guarded.post("/detect", data={"q": "Hello", "api_key": "first-keY"})
        assert (wrong.status_code, wrong.json()) == (403, {"error": "Invalid API key"})
        assert guarded.get("/metrics").status_code == 400
        assert guarded.get("/v1/models").status_code == guarded.get("/languages").status_code == 200
        assert guarded.get("/frontend/settings").json()["keyRequired"] is True
        assert [status(json={"api_key": "first-key"}) for _ in range(3)] == [200, 200, 429]
        assert status(headers={"authorization": "Bearer second-key"}) == 200
        now[0] = 31.0
        assert [status(json={"api_key": "first-key"}) for _ in range(2)] == [200, 429]
        slow = guarded.post("/detect", json={"q": "Hello", "api_key": "first-key"})
        assert slow.json()["error"].startswith("Slowdown")
        assert 1 <= int(slow.headers["retry-after"]) <= 60
