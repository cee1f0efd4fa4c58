import json
from dataclasses import replace
from importlib.util import find_spec

import pytest

from saccade.interop.ctranslate2 import installed
from saccade.kernels import cpu_library
from saccade.serving.bundle import Bundle

needs_ctranslate2 = pytest.mark.skipif(not installed(), reason="ctranslate2 is not installed")


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))


@needs_ctranslate2
@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_an_export_is_a_folder_for_the_other_program(saccade, model, tmp_path, storage):
    import ctranslate2

    ended = saccade("export", model, "--to", "ctranslate2", "--out", tmp_path / "out", "--storage", storage)
    assert ended.out.startswith(f"{tmp_path / 'out'}: ")
    assert ctranslate2.contains_model(str(tmp_path / "out"))


@pytest.mark.skipif(installed(), reason="ctranslate2 is installed")
def test_without_the_package_it_says_how_to_get_it(saccade, model, tmp_path):
    ended = saccade("export", model, "--out", tmp_path / "out")
    assert (ended.code, "pip install 'ctranslate2>=4.8'" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "abacus"), "`--to` must be one of ctranslate2, huggingface, onnx, but is 'abacus'"),
        (("--storage", "float8"), "`--storage` must be one of float32, int8, int16 for ctranslate2, but is 'float8'"),
        (("--to", "huggingface", "--storage", "int8"), "`--storage` must be one of float32 for huggingface, but is"),
    ],
)
def test_options_that_do_not_exist_are_refused(saccade, model, tmp_path, arguments, message):
    ended = saccade("export", model, "--out", tmp_path / "out", *arguments)
    assert (ended.code, message in ended.err) == (2, True)


@pytest.fixture
def _no_library(monkeypatch):
    monkeypatch.setattr(cpu_library, "load", lambda: None)


@needs_ctranslate2
@pytest.mark.usefixtures("_no_library")
def test_json_tells_which_engine_has_searched(saccade, model):
    asked = {"auto": [], "torch": ["--engine", "torch"], "forced": ["--prefix", "two"]}
    found = {
        name: json.loads(saccade("translate", model, "one dog", "--json", "--device", "cpu", *options).out)["engine"]
        for name, options in asked.items()
    }
    assert found == {"auto": "ctranslate2", "torch": "torch", "forced": "torch"}


@needs_ctranslate2
@pytest.mark.usefixtures("_no_library")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--prefix", "two"], "`prefix` must be empty in CTranslate2, which does not score a forced prefix."),
        (["--coverage", "0.2"], "`coverage` must be 0 in CTranslate2, which does not return attention weights."),
        (["--ensemble", "MODEL"], "`ensemble` must be left out with the engine ctranslate2, which runs one model."),
    ],
)
def test_where_only_torch_can_search_one_line_says_why(saccade, model, options, reason):
    options = [str(model) if option == "MODEL" else option for option in options]
    asked = ("translate", model, "one dog", "--device", "cpu", *options)
    assert saccade(*asked).err == f"note: torch searches: {reason}\n"
    assert saccade(*asked, "--engine", "torch").err == ""


def test_what_the_fastest_engine_can_do_is_not_announced(saccade, model):
    assert saccade("translate", model, "one dog", "--device", "cpu").err == ""


@needs_ctranslate2
def test_what_ctranslate2_cannot_do_is_refused_by_name(saccade, model):
    ended = saccade("translate", model, "one dog", "--engine", "ctranslate2", "--coverage", 0.2, "--device", "cpu")
    assert (ended.code, "`coverage` must be 0 in CTranslate2" in ended.err) == (2, True)


def test_an_unknown_engine_is_refused(saccade, model):
    ended = saccade("translate", model, "one dog", "--engine", "abacus")
    assert (ended.code, "`engine` must be one of auto, torch, ctranslate2" in ended.err) == (2, True)


def test_a_shortlist_says_what_it_covers(saccade, model, text, tmp_path):
    import shutil

    own = tmp_path / "model"
    shutil.copytree(model, own)
    ended = saccade("shortlist", own, "--source", text, "--target", text)
    assert ended.code == 0
    assert "pieces a sentence, which hold" in ended.out
    assert (own / "shortlist.safetensors").is_file()


def test_a_model_is_calibrated_with_the_pairs_of_several_files(saccade, model, tmp_path):
    own = tmp_path / "model"
    replace(Bundle.load(model), target_language="es").save(own, "# untrained\n")
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file, lines in zip(files, (60, 40), strict=True):
        file.write_text("one dog\ntwo cats\n" * (lines // 2))
    held_out = ["--source", files[0], "--reference", files[0], "--source", files[1], "--reference", files[1]]
    ended = saccade("calibrate", own, *held_out)
    assert (ended.code, "## Confidence" in ended.out) == (0, True)
    assert (own / "quality.json").is_file()
    assert "Expected calibration error" in (own / "card.md").read_text()
    ended = saccade("calibrate", own, *held_out[:4], "--source", files[1])
    assert ended.code == 2
    assert "`--source` and `--reference` must come together, but there are 2 and 1." in " ".join(ended.err.split())


def test_an_export_for_hugging_face_says_how_large_it_is_and_can_be_repeated(saccade, model, tmp_path):
    for _ in range(2):
        ended = saccade("export", model, "--to", "huggingface", "--out", tmp_path / "out")
        assert ended.out.startswith(f"{tmp_path / 'out'}: ")
        assert ended.out.endswith(" MB in float32\n")
    assert {"config.json", "model.safetensors", "README.md", "source.spm"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }


@pytest.mark.skipif(find_spec("onnxscript") is not None, reason="onnxscript is installed")
def test_without_the_exporter_of_onnx_it_says_how_to_get_it(saccade, model, tmp_path):
    ended = saccade("export", model, "--to", "onnx", "--out", tmp_path / "out")
    assert (ended.code, "pip install 'onnx" in ended.err, (tmp_path / "out").exists()) == (2, True, False)
