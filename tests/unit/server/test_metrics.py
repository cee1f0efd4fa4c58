"""What is counted and measured, as Prometheus reads it."""

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from saccade.server.application import application
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings


@pytest.fixture(scope="module")
def own(translator):
    models = ServedModels({"tiny": translator}, 40, {"repair": False, "protect": False})
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as client:
        yield client


def samples(client) -> dict[tuple[str, ...], float]:
    found = text_string_to_metric_families(client.get("/metrics").text)
    return {(one.name, *one.labels.values()): one.value for family in found for one in family.samples}


def test_requests_batches_and_tokens_are_counted(own, translator):
    texts = ["A dog.", "Two men."]
    own.post("/translate", json={"q": texts, "source": "en", "target": "es"})
    own.post("/translate", json={"q": texts, "source": "en", "target": "zz"})
    own.get("/no/such/path")
    found = samples(own)
    assert found["saccade_requests_total", "/translate", "200"] == 1
    assert found["saccade_requests_total", "/translate", "400"] == 1
    assert found["saccade_requests_total", "none", "404"] == 1
    assert found["saccade_request_seconds_count", "/translate"] == 2
    tokens = sum(len(own) + 1 for own in translator.source_tokenizer.encode(texts))
    assert found["saccade_batch_tokens_sum", "tiny"] == tokens
    assert found["saccade_batch_lines_sum", "tiny"] == 2
    assert found["saccade_queue_lines", "tiny"] == 0
    assert found["saccade_requests_inside",] == 0


def test_it_is_ready_as_long_as_its_workers_work(translator):
    models = ServedModels({"tiny": translator})
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as client:
        assert client.get("/ready").json() == {"status": "ok"}
        (model,) = models
        model.batcher.close()
        model.batcher._thread.join(30)
        assert client.get("/ready").status_code == 503
        assert client.get("/health").status_code == 200
