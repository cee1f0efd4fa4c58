"""A server with one small model, and a client of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
import torch
from starlette.testclient import TestClient

from saccade.server.application import application
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings
from saccade.serving.translator import Translator

SETTINGS = {"repair": False}
"""An untrained model repeats itself, and every output would be searched again."""


@pytest.fixture(scope="session")
def translator(bundle) -> Translator:
    small = bundle("transformer", encoder_layers=1, decoder_layers=1, maximum_length=64)
    decoding = {**small.decoding, "size": 2, "extra_length": 1}
    return Translator([replace(small, target_language="es", decoding=decoding)], torch.device("cpu"))


@pytest.fixture(scope="session")
def alone(translator) -> Callable[[str], str]:
    """A translation made without a server."""
    return partial(translator.translate, **SETTINGS)


@pytest.fixture(scope="session")
def models(translator) -> ServedModels:
    return ServedModels({"tiny": translator}, 40, SETTINGS)


@pytest.fixture(scope="session")
def client(models) -> Iterator[TestClient]:
    with TestClient(application(models, ServerSettings(characters=2000, items=30)), base_url="http://127.0.0.1") as own:
        yield own
