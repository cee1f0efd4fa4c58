"""Downloads that are damaged, lie or mean harm end in one line and leave nothing; a good one becomes a model folder."""

import json
import pickle
import shutil
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("transformers")

import torch
from tests.differential.huggingface_folders import m2m100_folder, marian_folder, pegasus_folder, sentences
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
    for near in (">>frb<<", "fra"):
        assert "Did you mean '>>fra<<'?" in str(CliRunner().invoke(app, [*run, near]).exception)


def test_a_text_names_its_language_for_all_its_sentences(downloaded, tmp_path):
    assert CliRunner().invoke(app, ["import", str(downloaded), "--out", str(tmp_path / "model")]).exit_code == 0
    model = saccade.load(tmp_path / "model", device="cpu")
    text = ">>fra<< Abc def. Ghi jkl."
    [found] = model.translate_batch([text], beam=1, repair=False)
    assert found.source == text
    assert [piece.source for piece in found.pieces] == [">>fra<<Abc def.", ">>fra<<Ghi jkl."]
    assert not found.text.startswith(" ")


def test_the_cache_of_hugging_face_is_told_from_a_snapshot_in_it(downloaded, tmp_path):
    snapshot = tmp_path / "models--somebody--model" / "snapshots" / "0123abc"
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(downloaded)
    done = CliRunner().invoke(app, ["import", str(snapshot.parent.parent), "--out", str(tmp_path / "model")])
    assert f"must be the folder of one snapshot, but is their cache. Name {snapshot}." in str(done.exception)


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
    assert "must hold tensors and nothing else" in refused(copy)
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


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.sampled_from([1 << 20, 2**31, 2**63, 10**400, -(10**400), 1e308]),
    st.floats(),
    st.sampled_from(["", "12", "relu", "never", "x" * 10_000, "\n\n", "\ud800"]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
DESCRIPTIONS = ("config.json", "generation_config.json", "tokenizer_config.json")
MORE = ("decoder_vocab_size", "early_stopping", "length_penalty", "dropout", "no_repeat_ngram_size", "target_lang")


def check_descriptions(folder, scratch, changes):
    """With these changes of its descriptions, a model is imported or refused in a line; nothing else may happen."""
    contents = {name: json.loads((folder / name).read_text()) for name in DESCRIPTIONS}
    for place, name, value in changes:
        file = DESCRIPTIONS[place]
        known = [*sorted(contents[file]), *MORE]
        contents[file][known[name % len(known)]] = value
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(folder, scratch / "changed")
    for file, content in contents.items():
        (scratch / "changed" / file).write_text(json.dumps(content))
    out = scratch / "out"
    result = CliRunner().invoke(app, ["import", str(scratch / "changed"), "--out", str(out)])
    if result.exit_code:
        assert isinstance(result.exception, SaccadeError), result.exception
        assert "\n" not in str(result.exception)
        assert not out.exists()


CHANGES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 50), VALUES), min_size=1, max_size=2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model_type", []),
        ("model_type", {"a": 1}),
        ("activation_function", ["relu"]),
        ("decoder_vocab_size", [3]),
        ("decoder_vocab_size", 1 << 30),
        ("decoder_vocab_size", 71),
        ("d_model", 10**400),
        ("dropout", 10**400),
        ("dropout", "a\nb"),
        ("encoder_layers", -1),
        ("encoder_layers", 0),
        ("decoder_attention_heads", 0),
    ],
)
def test_values_that_a_description_may_not_have_are_refused(copy, name, value):
    changed(copy / "config.json", **{name: value, name.replace("decoder_att", "encoder_att"): value})
    assert refused(copy)


@pytest.mark.parametrize("name", ["dropout", "attention_dropout", "activation_dropout"])
@pytest.mark.parametrize("value", [None, "0.1", [], True])
def test_a_share_that_is_no_number_is_named(copy, name, value):
    changed(copy / "config.json", **{name: value})
    assert f"config.json`: `{name}` must be a number, but is {value!r}." in refused(copy)


@pytest.mark.parametrize("value", [10**400, -(10**400), -1.0, float("inf"), float("nan"), [1.0], "1", True])
def test_a_length_penalty_that_no_search_has_is_refused(copy, value):
    changed(copy / "generation_config.json", length_penalty=value)
    assert "`length_penalty`" in refused(copy)


@pytest.mark.parametrize("code", ["", "\ud800", "\n\n", "x" * 41, 3])
def test_a_language_that_cannot_be_written_down_is_not_known(copy, tmp_path, code):
    changed(copy / "tokenizer_config.json", source_lang=code)
    assert CliRunner().invoke(app, ["import", str(copy), "--out", str(tmp_path / "model")]).exit_code == 0
    assert saccade.load(tmp_path / "model", device="cpu").bundle.source_language is None


@pytest.mark.slow
@given(changes=CHANGES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_description_says_a_model_is_imported_or_refused_in_a_line(downloaded, tmp_path, changes):
    check_descriptions(downloaded, tmp_path / "scratch", changes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pegasus", "m2m100", "nllb"])
def test_so_it_is_with_the_other_kinds(kind, tmp_path):
    pegasus_folder(tmp_path / "made") if kind == "pegasus" else m2m100_folder(tmp_path / "made", nllb=kind == "nllb")

    @given(changes=CHANGES)
    @settings(max_examples=80, deadline=None)
    def check(changes):
        check_descriptions(tmp_path / "made", tmp_path / "scratch", changes)

    check()


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


@pytest.mark.parametrize("name", ["config.json", "generation_config.json", "tokenizer_config.json", "vocab.json"])
def test_what_has_the_name_of_a_description_and_is_no_file_is_not_passed_over(copy, name):
    (copy / name).unlink()
    (copy / name).mkdir()
    assert f"{name}` must be a file, but is a folder." in refused(copy)
    (copy / name).rmdir()
    (copy / name).symlink_to(copy / "elsewhere")
    assert f"{name}` must be a file, but is a link that leads nowhere." in refused(copy)


def test_a_piece_that_is_half_a_character_is_no_piece(copy):
    text = (copy / "vocab.json").read_text()
    (copy / "vocab.json").write_text(text.replace('">>deu<<"', '"\\ud800"'))
    assert "vocab.json` must hold pieces of text, but has half a character in one of them." in refused(copy)


def test_a_folder_of_m2m100_without_its_vocabulary_is_not_taken_for_one_of_nllb(tmp_path):
    m2m100_folder(tmp_path / "copy", nllb=False)
    (tmp_path / "copy" / "vocab.json").unlink()
    assert "vocab.json` must be there, since it numbers the pieces of M2M100" in refused(tmp_path / "copy")


def test_a_tensor_that_is_not_part_of_the_model_is_named(copy):
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    save_file({**tensors, "model.encoder.layernorm_embedding.weight": torch.zeros(20)}, copy / "model.safetensors")
    assert "layernorm_embedding.weight is not one of them" in refused(copy)


def test_what_the_search_settings_ask_for_beyond_ours_is_said(copy):
    changed(copy / "generation_config.json", no_repeat_ngram_size=3, min_length=5)
    result = CliRunner().invoke(app, ["import", str(copy), "--out", str(copy.parent / "out")])
    assert result.exit_code == 0
    assert "not kept: `no_repeat_ngram_size` 3" in result.output
    assert "not kept: `min_length` 5" in result.output
