import os
from dataclasses import replace

import pytest

from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.serving import converted
from saccade.serving.bundle import load_bundle
from saccade.serving.converted import KEPT, ctranslate2_engine
from saccade.serving.engines import Sentence

pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "engines" / "ctranslate2"


@pytest.fixture(scope="module")
def bundle(folder):
    return load_bundle(folder)


def test_a_model_is_converted_once(bundle, cache):
    ctranslate2_engine(bundle, workers=1)
    (kept,) = cache.iterdir()
    written = (kept / "model.bin").stat()
    ctranslate2_engine(bundle, workers=1)
    (again,) = cache.iterdir()
    assert (again / "model.bin").stat().st_ino == written.st_ino


def test_each_form_and_each_model_has_its_own(bundle, cache):
    ctranslate2_engine(bundle, workers=1)
    ctranslate2_engine(bundle, form="float32", workers=1)
    ctranslate2_engine(replace(bundle, digest="0" * 64), workers=1)
    assert len(list(cache.iterdir())) == 3


def test_the_cache_is_bounded_and_forgets_the_oldest(bundle, cache):
    for number in range(KEPT + 2):
        ctranslate2_engine(replace(bundle, digest=f"{number:064}"[::-1]), workers=1)
        for age, folder in enumerate(sorted(cache.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)):
            os.utime(folder, (1e9 - 60 * age, 1e9 - 60 * age))
    assert sorted(folder.name[0] for folder in cache.iterdir()) == list("23456789")


def test_nothing_is_written_into_the_model_folder(folder, bundle, cache):
    before = sorted(path.name for path in folder.iterdir())
    ctranslate2_engine(bundle, workers=1)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_cache_that_cannot_be_written_is_done_without(bundle, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "file"))
    engine = ctranslate2_engine(bundle, workers=1)
    assert engine.search([Sentence((9, 7))], BeamConfig(size=2, extra_length=3))[0]


def test_a_model_that_no_folder_holds_leaves_nothing(bundle, cache):
    ctranslate2_engine(replace(bundle, digest=None), workers=1)
    assert not cache.exists()


def test_a_model_it_cannot_run_is_refused(bundle, cache):
    config = replace(bundle.model_config, attention_window=3)
    with pytest.raises(ConfigError, match="attention_window"):
        ctranslate2_engine(replace(bundle, model_config=config))
    assert not cache.exists()


def test_an_interrupted_conversion_is_not_taken_for_one(bundle, cache, monkeypatch):
    def fails(folder, **options):
        folder.mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(converted, "export", fails)
    with pytest.raises(KeyboardInterrupt):
        ctranslate2_engine(bundle, workers=1)
    monkeypatch.undo()
    monkeypatch.setenv("SACCADE_CACHE", str(cache.parents[1]))
    assert ctranslate2_engine(bundle, workers=1).search([Sentence((9, 7))], BeamConfig(size=2, extra_length=3))
