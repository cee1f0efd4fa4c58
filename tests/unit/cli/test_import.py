"""Downloads that are damaged, lie or mean harm end in one line and leave nothing; a good one becomes a model folder."""

import json
import pickle
import struct

import pytest

pytest.importorskip("transformers")

import torch
from tests.differential.huggingface_folders import marian_folder, sentences
from typer.testing import CliRunner

import saccade
from saccade.cli.main import app
from saccade.errors import SaccadeError


@pytest.fixture(scope="module")
def downloaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("downloaded")
    marian_folder(folder)
    return folder


@pytest.fixture
def copy(downloaded, tmp_path):
    """A copy to be damaged."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in downloaded.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def refused(folder):
    """The one line; nothing may have been written."""
    out = folder.parent / "out"
    result = CliRunner().invoke(app, ["import", str(folder), "--out", str(out)])
    assert isinstance(result.exception, SaccadeError)
    assert "\n" not in str(result.exception)
    assert not out.exists()
    return str(result.exception)


def changed(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_an_imported_model_translates_and_scores(downloaded, tmp_path):
    result = CliRunner().invoke(app, ["import", str(downloaded), "--out", str(tmp_path / "model")])
    assert result.exit_code == 0, result.output
    model = saccade.load(tmp_path / "model", device="cpu")
    assert (model.bundle.source_language, model.bundle.target_language) == ("eng", "fra")
    lines = sentences(1, 3)
    written = model.translate(lines, split_sentences=False, beam=1, repair=False)
    assert len(written) == 3
    [scored] = model.score([(lines[0], "abc")])
    assert scored.log_probability < 0


@pytest.mark.slow
def test_an_imported_model_shows_its_attention(downloaded, tmp_path):
    assert CliRunner().invoke(app, ["import", str(downloaded), "--out", str(tmp_path / "model")]).exit_code == 0
    trace = saccade.load(tmp_path / "model", device="cpu").trace(sentences(1, 1)[0], detail=("all",), beam=2)
    assert all(check["holds"] for check in trace["checks"])
    assert {layer["activation"] for layer in trace["layers"]} == {"silu"}
    assert trace["beam"]["penalty"] == "power"


def test_a_prefix_names_the_language_to_write(downloaded, tmp_path):
    run = ["import", str(downloaded), "--out", str(tmp_path / "model"), "--prefix"]
    assert CliRunner().invoke(app, [*run, ">>fra<<"]).exit_code == 0
    tokenizer = saccade.load(tmp_path / "model", device="cpu").source_tokenizer
    assert tokenizer.pieces(tokenizer.encode(["abc"])[0])[0] == ">>fra<<"
    assert "Did you mean '>>fra<<'?" in str(CliRunner().invoke(app, [*run, ">>frb<<"]).exception)


def test_a_text_names_its_language_for_all_its_sentences(downloaded, tmp_path):
    assert CliRunner().invoke(app, ["import", str(downloaded), "--out", str(tmp_path / "model")]).exit_code == 0
    model = saccade.load(tmp_path / "model", device="cpu")
    text = ">>fra<< Abc def. Ghi jkl."
    [found] = model.translate_batch([text], beam=1, repair=False)
    assert found.source == text
    assert [piece.source for piece in found.pieces] == [">>fra<<Abc def.", ">>fra<<Ghi jkl."]


class Harm:
    """Unpickled the usual way, this writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_with_code_in_it_is_refused_and_never_run(copy, zipped):
    (copy / "model.safetensors").unlink()
    canary = copy.parent / "canary"
    harmful = {"model.shared.weight": torch.zeros(2), "harm": Harm(canary)}
    if zipped:
        torch.save(harmful, copy / "pytorch_model.bin")
    else:
        (copy / "pytorch_model.bin").write_bytes(pickle.dumps(harmful))
    assert ("must hold tensors and nothing else" if zipped else "must be what `torch.save` wrote") in refused(copy)
    assert not canary.exists()
    with open(copy / "pytorch_model.bin", "rb") as file:
        if not zipped:  # the test can fail: read as a pickle, the file does write
            pickle.load(file)["harm"].close()
            assert canary.exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_truncated_weights_are_refused(copy, share):
    path = copy / "model.safetensors"
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    assert "must be a safetensors file" in refused(copy)


def test_a_header_of_two_gigabytes_is_refused_before_it_is_read(copy):
    (copy / "model.safetensors").write_bytes(struct.pack("<Q", 2 << 30) + b"{}")
    assert "must be a safetensors file" in refused(copy)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vocab_size", 1 << 30),
        ("d_model", 1 << 30),
        ("d_model", 10),
        ("encoder_ffn_dim", 1 << 30),
        ("encoder_layers", 1 << 30),
        ("decoder_layers", 4),
        ("decoder_layers", 2),
        ("encoder_attention_heads", 3),
        ("max_position_embeddings", 1 << 30),
        ("pad_token_id", 1 << 30),
        ("eos_token_id", "0"),
        ("activation_function", "gelu_new"),
        ("model_type", "bart"),
    ],
)
def test_a_config_that_lies_is_refused_before_anything_is_built(copy, name, value):
    config = {name: value}
    if name.startswith("encoder_ffn") or name == "encoder_attention_heads":
        config[name.replace("encoder", "decoder")] = value
    changed(copy / "config.json", **config)
    assert refused(copy)


def test_a_vocabulary_with_holes_is_refused(copy):
    vocabulary = json.loads((copy / "vocab.json").read_text())
    gone = next(piece for piece, number in vocabulary.items() if number == 17)
    (copy / "vocab.json").write_text(json.dumps({piece: n for piece, n in vocabulary.items() if piece != gone}))
    assert "no piece has the number 17" in refused(copy)
    (copy / "vocab.json").write_text(json.dumps({**vocabulary, gone: 18}))
    assert "a number of its own" in refused(copy)


@pytest.mark.parametrize("name", ["config.json", "vocab.json", "source.spm", "model.safetensors"])
def test_a_file_that_is_missing_or_damaged_is_named(copy, name):
    (copy / name).write_bytes(b"\x00nonsense")
    assert refused(copy)
    (copy / name).unlink()
    assert refused(copy)


def test_a_tensor_that_is_not_part_of_the_model_is_named(copy):
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    save_file({**tensors, "model.encoder.layernorm_embedding.weight": torch.zeros(20)}, copy / "model.safetensors")
    assert "layernorm_embedding.weight is not one of them" in refused(copy)


def test_what_the_search_settings_ask_for_beyond_ours_is_said(copy):
    changed(copy / "generation_config.json", no_repeat_ngram_size=3, early_stopping=True)
    result = CliRunner().invoke(app, ["import", str(copy), "--out", str(copy.parent / "out")])
    assert result.exit_code == 0
    assert "not kept: `no_repeat_ngram_size` 3" in result.output
    assert "not kept: `early_stopping` True" in result.output
