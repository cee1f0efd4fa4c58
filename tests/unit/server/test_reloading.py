"""A model folder that changes: the new model answers, the old one ends what it began, a damaged one changes nothing."""

import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from saccade.errors import ConfigError
from saccade.server.admission import Departure
from saccade.server.reloading import Reloading
from saccade.server.served_models import ServedModels, names_of
from saccade.serving.loading import load
from saccade.serving.translator import Translator

TEXT = "A dog."
SETTINGS = {"repair": False, "protect": False}


@pytest.fixture
def saved(translator, tmp_path):
    """Saves the small model with other weights, and returns what it translates the text to."""

    def save(seed: int) -> str:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            changed = replace(translator.bundle, digest=None)
            changed.model.load_state_dict({name: torch.randn_like(one) for name, one in first.items()})
        changed.save(tmp_path / "model", "# untrained\n")
        return load(tmp_path / "model", device="cpu").translate(TEXT, **SETTINGS)

    first = {name: one.clone() for name, one in translator.bundle.model.state_dict().items()}
    yield save
    translator.bundle.model.load_state_dict(first)


def answer(models: ServedModels) -> str:
    with models.between("en", "es") as model:
        return model.for_client(Departure()).translate(TEXT, **SETTINGS)


def test_a_changed_folder_is_loaded_without_losing_a_request(saved, tmp_path):
    names = names_of([str(tmp_path / "model")])
    first = saved(1)

    def open_model(given: str) -> Translator:
        return load(given, device="cpu")

    models = ServedModels({name: open_model(given) for name, given in names.items()})
    reloading = Reloading(models, names, open_model)
    reloading.look()
    assert answer(models) == first
    with models.between("en", "es") as old:
        second = saved(2)
        assert second != first
        reloading.look()
        assert answer(models) == second
        assert old.for_client(Departure()).translate(TEXT, **SETTINGS) == first  # a request that began before
        assert old.batcher.alive
    old.batcher._thread.join(30)
    assert not old.batcher.alive

    config = tmp_path / "model" / "config.json"
    config.write_text(config.read_text()[:-50])
    reloading.look()
    assert answer(models) == second
    os.remove(config)
    reloading.look()
    assert answer(models) == second
    counted = models.metrics.page().body.decode()
    (name,) = names
    assert f'saccade_reloads_total{{model="{name}",outcome="loaded"}} 1.0' in counted
    assert f'saccade_reloads_total{{model="{name}",outcome="refused"}} 1.0' in counted


def test_requests_go_on_while_models_are_replaced(translator):
    models = ServedModels({"tiny": translator}, settings=SETTINGS)
    expected, stop = translator.translate(TEXT, **SETTINGS), threading.Event()

    def ask() -> set[str]:
        found = set()
        while not stop.is_set():
            found.add(answer(models))
        return found

    with ThreadPoolExecutor(3) as clients:
        asked = [clients.submit(ask) for _ in range(3)]
        for _ in range(5):
            models.replace("tiny", translator)
        stop.set()
        assert all(one.result(60) == {expected} for one in asked)


def test_it_looks_by_itself_until_it_is_left(translator):
    models = ServedModels({"tiny": translator})
    with Reloading(models, {}, lambda _: translator, seconds=0.001) as reloading:
        pass
    reloading._thread.join(30)
    assert not reloading._thread.is_alive()


def test_a_failure_of_a_library_is_told_and_the_old_model_goes_on(saved, tmp_path, caplog):
    names = names_of([str(tmp_path / "model")])
    first = saved(1)
    models = ServedModels({name: load(given, device="cpu") for name, given in names.items()})

    def out_of_memory(given: str) -> Translator:
        raise torch.OutOfMemoryError("CUDA out of memory")

    reloading = Reloading(models, names, out_of_memory)
    saved(2)
    with caplog.at_level(logging.ERROR):
        reloading.look()
    assert "has changed, but cannot be loaded: CUDA out of memory" in caplog.text
    assert answer(models) == first
    assert f'saccade_reloads_total{{model="{next(iter(names))}",outcome="refused"}} 1.0' in (
        models.metrics.page().body.decode()
    )


def test_a_model_that_cannot_be_warmed_up_leaves_no_worker(translator):
    models = ServedModels({"tiny": translator}, settings={"beam": 0})
    before = set(threading.enumerate())
    with pytest.raises(ConfigError, match="beam size"):
        models.replace("tiny", translator)
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()
    assert next(iter(models)).batcher.alive
