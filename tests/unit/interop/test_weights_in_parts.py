"""Weights that are cut into several files, with an index that says which tensor stands where."""

import json

import pytest
import torch
from safetensors.torch import save_file

from saccade.errors import FormatError
from saccade.interop.checkpoint_files import read_weights

TENSORS = {name: torch.arange(6.0).reshape(2, 3) + number for number, name in enumerate("abcde")}
PLACES = dict(zip("abcde", (1, 2, 2, 3, 1), strict=True))
FORMATS = {"model.safetensors": save_file, "pytorch_model.bin": torch.save}


def written(folder, name):
    """Parts as transformers names them; returns the index's content."""
    stem, ending = name.split(".")
    files = {number: f"{stem}-{number:05}-of-00003.{ending}" for number in (1, 2, 3)}
    for number, file in files.items():
        FORMATS[name]({key: TENSORS[key] for key, place in PLACES.items() if place == number}, folder / file)
    index = {"metadata": {"total_size": 120}, "weight_map": {key: files[place] for key, place in PLACES.items()}}
    (folder / f"{name}.index.json").write_text(json.dumps(index))
    return index


@pytest.fixture(params=FORMATS)
def name(request):
    return request.param


def refused(folder):
    with pytest.raises(FormatError) as problem:
        read_weights(folder)
    assert "\n" not in str(problem.value)
    return str(problem.value)


def test_all_parts_are_read(tmp_path, name):
    written(tmp_path, name)
    found = read_weights(tmp_path)
    assert found.keys() == TENSORS.keys()
    assert all(torch.equal(found[key], tensor) for key, tensor in TENSORS.items())


def test_safetensors_in_parts_come_before_a_pickle(tmp_path):
    written(tmp_path, "model.safetensors")
    torch.save({"a": torch.zeros(1)}, tmp_path / "pytorch_model.bin")
    assert read_weights(tmp_path).keys() == TENSORS.keys()


def test_a_part_that_was_not_downloaded_is_named(tmp_path, name):
    index = written(tmp_path, name)
    (tmp_path / index["weight_map"]["b"]).unlink()
    assert f"{index['weight_map']['b']}` must be a file, but is not there. " in refused(tmp_path)


def test_an_index_may_name_a_tied_tensor_that_its_part_holds_under_another_name(tmp_path, name):
    index = written(tmp_path, name)
    index["weight_map"]["tied"] = index["weight_map"]["b"]
    (tmp_path / f"{name}.index.json").write_text(json.dumps(index))
    assert read_weights(tmp_path).keys() == TENSORS.keys()


def test_a_part_with_a_tensor_that_nothing_names_is_refused(tmp_path, name):
    index = written(tmp_path, name)
    del index["weight_map"]["c"]
    (tmp_path / f"{name}.index.json").write_text(json.dumps(index))
    assert "but also holds 'c'" in refused(tmp_path)


@pytest.mark.parametrize(
    "place", ["../model.safetensors", "/etc/passwd", "", ".", "x\0.bin", 3, None, ["x"], "config.json"]
)
def test_an_index_names_only_parts_beside_it(tmp_path, name, place):
    index = written(tmp_path, name)
    index["weight_map"]["a"] = place
    (tmp_path / f"{name}.index.json").write_text(json.dumps(index))
    assert "must name for every tensor a file beside it, in `weight_map`, but does not" in refused(tmp_path)


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"weight_map": ["a"]}'])
def test_an_index_that_is_none_is_refused(tmp_path, name, content):
    (tmp_path / f"{name}.index.json").write_text(content)
    assert f"{name}.index.json` must " in refused(tmp_path)


def test_a_pickle_among_the_parts_is_not_run(tmp_path):
    index = written(tmp_path, "pytorch_model.bin")

    class Program:
        def __reduce__(self):
            return exec, (f"open({str(tmp_path / 'run')!r}, 'w')",)

    torch.save({"b": Program()}, tmp_path / index["weight_map"]["b"])
    assert "It was not run." in refused(tmp_path)
    assert not (tmp_path / "run").exists()
