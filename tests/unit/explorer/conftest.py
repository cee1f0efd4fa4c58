"""A session with one small model, and a client of its server."""

from collections.abc import Iterator

import pytest
import torch
from starlette.testclient import TestClient

from saccade.explorer.server import application
from saccade.explorer.session import Session
from saccade.serving.translator import Translator


@pytest.fixture(scope="module")
def session(bundle) -> Session:
    return Session({"tiny": Translator([bundle("transformer")], torch.device("cpu"))})


@pytest.fixture(scope="module")
def client(session) -> Iterator[TestClient]:
    with TestClient(application(session), base_url="http://127.0.0.1") as client:
        yield client
