"""Our own API: what the translator tells, and an OpenAPI document that says what comes."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from saccade.server.application import application
from saccade.server.openapi import OPERATIONS
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings
from saccade.serving.translator import Translator

TEXTS = ["A dog. Two men.", "She reads."]


@pytest.fixture(scope="module")
def document(client):
    found = client.get("/openapi.json").json()
    assert client.get("/spec").json() == found
    return found


def validator() -> Any:
    """The class that checks against a schema. Importing it takes seconds: too long for every process that collects."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator


def schema(document, method: str, path: str, status: str = "200") -> Any:
    answer = document["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"]
    return validator()({**answer, "components": document["components"]})


def test_the_document_lists_every_route_that_is_for_programs(client, document):
    known = {route.path for route in client.app.routes}
    assert set(document["paths"]) <= known
    assert known - set(document["paths"]) == {
        "/",
        "/static",
        "/metrics",
        "/openapi.json",
        "/spec",
        "/download_file/{name}",
        "/frontend/settings",
    }
    for definition in document["components"]["schemas"].values():
        validator().check_schema(definition)


def test_scores_alignments_and_other_translations_are_told(client, translator, document):
    body = {"texts": TEXTS, "nbest": 2, "scores": True, "alignment": True, "source": "en", "target": "es"}
    answer = client.post("/v1/translate", json=body).json()
    schema(document, "post", "/v1/translate").validate(answer)
    options = translator.options(nbest=2, scores=True, alignment=True, repair=False, on_error="copy")
    for told, found in zip(answer["translations"], translator.stream(TEXTS, options), strict=True):
        expected = json.loads(json.dumps(found.to_json()))
        del expected["line"]
        assert told == expected


def test_sentences_have_their_own_translations(client, translator, document):
    answer = client.post("/v1/translate", json={"texts": TEXTS}).json()
    schema(document, "post", "/v1/translate").validate(answer)
    first, second = answer["translations"]
    assert first["text"] == translator.translate(TEXTS[0], repair=False)
    assert [one["source"] for one in first["sentences"]] == ["A dog.", "Two men."]
    assert "sentences" not in second
    assert "score" not in first


def test_a_prefix_and_a_glossary_are_obeyed(client, translator):
    body = {"texts": ["A dog."], "prefix": "sea"}
    (found,) = client.post("/v1/translate", json=body).json()["translations"]
    assert found["text"] == translator.translate("A dog.", prefix="sea", repair=False)
    body = {"texts": ["A dog."], "glossary": {"dog": "school"}}
    (found,) = client.post("/v1/translate", json=body).json()["translations"]
    assert found["text"] == translator.translate("A dog.", glossary={"dog": "school"}, repair=False)
    assert "school" in found["text"]


def test_given_translations_are_scored(client, translator, document):
    pairs = [{"source": "A dog.", "target": "school"}, {"source": "a " * 900, "target": "b"}]
    answer = client.post("/v1/score", json={"pairs": pairs, "model": "tiny"}).json()
    schema(document, "post", "/v1/score").validate(answer)
    (expected,) = translator.stream_scores([("A dog.", "school")], stable=True)
    assert answer["scores"][0] == expected.to_json()
    assert answer["scores"][1]["error"].startswith("line 2 must have a source of at most 63 tokens")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"texts": []}, "`texts` cannot be used"),
        ({"texts": ["a"], "colour": 1}, "`colour` cannot be used"),
        ({"texts": ["a"], "nbest": 65}, "`nbest` cannot be used"),
        ({"texts": ["a"], "beam": 4, "nbest": 5}, "`nbest` must be from 1 to the beam size"),
        ({"texts": ["a"], "model": "x"}, "must be those of a model here (tiny (en-es))"),
        ({"texts": ["a"], "source": "fr"}, "must be those of a model here"),
        ({"texts": ["a"] * 31}, "at most 30 items"),
        ({"texts": ["a" * 2001]}, "at most 2000 characters"),
        ({"texts": ["a"], "glossary": {"": "b"}}, "must have a source"),
    ],
    ids=str,
)
def test_a_mistake_is_told(client, document, body, said):
    answer = client.post("/v1/translate", json=body)
    assert answer.status_code == 400
    schema(document, "post", "/v1/translate", "default").validate(answer.json())
    assert said in answer.json()["error"]


def test_simple_answers_are_as_they_are_described(client, document):
    for operation in OPERATIONS:
        if operation.body is None:
            schema(document, "get", operation.path).validate(client.get(operation.path).json())
    asked = {"q": ["A dog."], "source": "auto", "target": "es", "alternatives": 1}
    schema(document, "post", "/translate").validate(client.post("/translate", json=asked).json())
    asked["q"] = "A dog."
    schema(document, "post", "/translate").validate(client.post("/translate", json=asked).json())
    schema(document, "post", "/detect").validate(client.post("/detect", json={"q": "A dog."}).json())


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 70)
    | st.integers(min_value=10**30)
    | st.floats()
    | st.text(st.characters(), max_size=9)
    | st.sampled_from(["\ud800", "\x00", "<b>", "</", "<!--", "&#0;", "en", "es", "auto", "html", ">>fr<<", "A dog."]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
BODIES = {
    "/translate": {"q": "A", "source": "en", "target": "es", "format": "html", "alternatives": 1, "api_key": "x"},
    "/detect": {"q": "A"},
    "/v1/translate": {
        **{"texts": ["A"], "nbest": 1, "beam": 1, "alpha": 0.5, "prefix": "", "glossary": {}, "scores": True},
        **{"alignment": True, "split_sentences": False, "truncate": True, "model": "tiny", "source": "en"},
    },
    "/v1/score": {"pairs": [{"source": "A", "target": "B"}]},
}
PLACES = [(path, name) for path, body in BODIES.items() for name in (*body, "other")]


def hostile(client, document, place, value, as_form):
    path, name = place
    body = BODIES[path] | {name: value}
    if as_form:
        fields = {
            key: one.encode("utf-8", "replace") if isinstance(one, str) else str(one) for key, one in body.items()
        }
        answer = client.post(path, data=fields)
    else:
        answer = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 415), answer.text
    schema(document, "post", path, "200" if answer.status_code == 200 else "default").validate(answer.json())
    assert "Traceback" not in answer.text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(place=st.sampled_from(PLACES), value=VALUES, as_form=st.booleans())
def test_whatever_is_sent_the_answer_is_as_described(client, document, place, value, as_form):
    hostile(client, document, place, value, as_form)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=600)
@given(place=st.sampled_from(PLACES), value=VALUES, as_form=st.booleans())
def test_whatever_else_is_sent_the_answer_is_as_described(client, document, place, value, as_form):
    hostile(client, document, place, value, as_form)


def test_a_mistake_in_an_answer_is_none_of_the_client(translator):
    nameless = Translator([replace(translator.bundle, architecture=None)], torch.device("cpu"))
    models = ServedModels({"tiny": nameless})
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as client:
        answer = client.get("/v1/models")
    models.close()
    assert (answer.status_code, answer.json()) == (
        500,
        {"error": "the server has made a mistake. Its terminal says where."},
    )
