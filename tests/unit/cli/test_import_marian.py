"""Marian's own files: a good folder becomes a model folder; what is damaged, lies or is no such model does not."""

import io
import random
import zipfile

import numpy as np
import pytest

pytest.importorskip("transformers")  # sentencepiece models are learned as for its folders

from tests.differential.huggingface_folders import LANGUAGES, sentences
from tests.differential.marian_folders import OPTIONS, marian_folder, write_npz
from tests.unit.cli.test_import import Harm, refused
from typer.testing import CliRunner

import saccade
from saccade.cli.main import app
from saccade.errors import SaccadeError
from saccade.interop.checkpoint_files import read_npz
from saccade.interop.imports import read_model

NPZ = "opus.spm-spm.transformer-align.model1.npz.best-perplexity.npz"
VOCABULARY = "opus.spm-spm.vocab.yml"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    return folder, marian_folder(folder)


@pytest.fixture
def copy(published, tmp_path):
    """A copy to be damaged."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in published[0].iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_folder_and_the_file_in_it_are_imported_and_say_what_their_positions_are(published, tmp_path):
    for number, source in enumerate((published[0], published[0] / "decoder.yml", published[0] / NPZ)):
        out = tmp_path / str(number)
        result = CliRunner().invoke(app, ["import", str(source), "--out", str(out), "--prefix", LANGUAGES[0]])
        assert result.exit_code == 0, result.output
        assert "not kept: `allow-unk` false" in result.output
    model = saccade.load(out, device="cpu")
    expected = {"size": 6, "alpha": 0.8, "length_rule": "power", "stop": "current-length", "ends": "beam"}
    assert model.bundle.decoding == expected
    assert "Its positions are those of Marian itself" in (out / "card.md").read_text()
    assert model.source_tokenizer.pieces(model.source_tokenizer.encode(["abc"])[0])[0] == LANGUAGES[0]


@pytest.mark.slow
def test_an_imported_model_translates_scores_and_shows_its_attention(tmp_path):
    marian_folder(tmp_path / "folder", **{"transformer-ffn-activation": "gelu"})
    command = ["import", str(tmp_path / "folder"), "--out", str(tmp_path / "model")]
    assert CliRunner().invoke(app, command).exit_code == 0
    model = saccade.load(tmp_path / "model", device="cpu")
    assert len(model.translate(sentences(1, 2), split_sentences=False, beam=1, repair=False)) == 2
    [scored] = model.score([(sentences(1, 1)[0], "abc")])
    assert scored.log_probability < 0
    trace = model.trace(sentences(1, 1)[0], detail=("all",), beam=2)
    assert all(check["holds"] for check in trace["checks"])
    assert {layer["activation"] for layer in trace["layers"]} == {"quick_gelu"}


def test_arrays_in_the_order_of_fortran_and_of_other_machines_are_the_same_numbers(tmp_path):
    numbers = np.arange(15, dtype=np.float32).reshape(3, 5)
    np.savez(tmp_path / "a.npz", plain=numbers, fortran=np.asfortranarray(numbers), big=numbers.astype(">f4"))
    assert all((array == numbers).all() for array in read_npz(tmp_path / "a.npz").values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("type", "s2s"),
        ("transformer-decoder-autoreg", "rnn"),
        ("transformer-decoder-autoreg", "average-attention"),
        ("transformer-ffn-activation", "tanh"),
        ("transformer-ffn-depth", 3),
        ("transformer-decoder-dim-ffn", 7),
        ("transformer-tied-layers", [1, 1, 1]),
        ("transformer-train-position-embeddings", True),
        ("lemma-dim-emb", 8),
        ("dim-emb", "a"),
    ],
)
def test_options_of_another_model_are_refused_by_name(published, copy, name, value):
    write_npz(copy / NPZ, published[1], {**OPTIONS, name: value})
    assert f"`{name}` must be" in refused(copy)


@pytest.mark.parametrize(
    ("before", "after", "top"),
    [("n", "da", ""), ("n", "dan", ""), ("", "dan", "n"), ("", "dah", ""), ("n", "dar", "n")],
)
def test_norms_that_may_mean_two_models_or_none_are_refused_by_name(published, copy, before, after, top):
    options = {
        "transformer-preprocess": before, "transformer-postprocess": after, "transformer-postprocess-top": top,
    }  # fmt: skip
    write_npz(copy / NPZ, published[1], {**OPTIONS, **options})
    assert f"`transformer-preprocess` {before!r}, `transformer-postprocess` {after!r}" in refused(copy)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("dim-emb", 5 << 26, f"Wq must be {5 << 26} x {5 << 26} numbers"),
        ("dim-emb", 10, "Wq must be 10 x 10 numbers, as its description says, but is 20 x 20"),
        ("enc-depth", 1 << 29, "must hold encoder_l3_self_Wq"),
        ("dec-depth", 2, "'decoder_l3_context_Wk' is not one of them"),
        ("transformer-heads", 3, "must be a multiple of `heads`"),
        ("tied-embeddings-all", False, "must hold the matrix encoder_Wemb"),
    ],
)
def test_options_that_lie_about_the_weights_are_refused(published, copy, name, value, said):
    write_npz(copy / NPZ, published[1], {**OPTIONS, name: value})
    assert said in refused(copy)


def member(name, content):
    """The content of an array file, whatever it says of itself."""
    made = io.BytesIO()
    np.lib.format.write_array(made, content, allow_pickle=True)
    return name, made.getvalue()


def archive(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as made:
        for name, content in members:
            made.writestr(name, content)


HUGE = (
    b"\x93NUMPY\x01\x00v\x00"
    + b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999)}".ljust(117)
    + b"\n"
)
DAMAGED = {
    "empty": lambda path, _: path.write_bytes(b""),
    "no archive": lambda path, _: path.write_bytes(b"PK" + bytes(range(256)) * 9),
    "cut short": lambda path, _: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte of its numbers changed": lambda path, _: path.write_bytes(
        path.read_bytes()[:5000] + bytes([path.read_bytes()[5000] ^ 1]) + path.read_bytes()[5001:]
    ),
    "a file of no array": lambda path, _: archive(path, [("Wemb.npy", b"hello")]),
    "an array of terabytes": lambda path, _: archive(path, [("Wemb.npy", HUGE)]),
    "megabytes of zeros in a few bytes": lambda path, _: archive(
        path, [("Wemb.npy", bytes(20 << 20))], compression=zipfile.ZIP_DEFLATED
    ),
    "objects": lambda path, _: archive(
        path, [member("Wemb.npy", np.array([Harm(path.parent / "canary")], dtype=object))]
    ),
    "text": lambda path, _: archive(path, [member("Wemb.npy", np.array(["a"]))]),
    "no options": lambda path, arrays: np.savez(path, **arrays),
    "options that are no text": lambda path, arrays: write_npz(path, arrays, b"type: \xff"),
    "options with an anchor": lambda path, arrays: write_npz(path, arrays, b"type: &a transformer\nb: *a"),
    "a matrix too few": lambda path, arrays: write_npz(
        path, {name: array for name, array in arrays.items() if name != "decoder_l2_context_Wk"}, OPTIONS
    ),
    "a matrix too many": lambda path, arrays: write_npz(path, {**arrays, "größe\n": np.zeros((1, 1))}, OPTIONS),
    "numbers that are not real": lambda path, arrays: write_npz(
        path, {**arrays, "Wemb": arrays["Wemb"].astype(np.int8)}, OPTIONS
    ),
    "a vector": lambda path, arrays: write_npz(path, {**arrays, "Wemb": arrays["Wemb"][0]}, OPTIONS),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_and_harmful_archives_are_refused(published, copy, damage):
    DAMAGED[damage](copy / NPZ, published[1])
    assert "must" in refused(copy)
    assert not (copy / "canary").exists()


def test_two_arrays_of_one_name_are_refused(copy):
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(copy / NPZ, "a") as made:
        made.writestr(*member("Wemb.npy", np.zeros((2, 2))))
    assert "holds two of one name" in refused(copy)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (VOCABULARY, "</s>: 0\n<unk>: 1\na: 3\n", "no piece has the number 2"),
        (VOCABULARY, "</s>: 0\n<unk>: 0\n", "a number of its own"),
        (VOCABULARY, "</s>: 0\n</s>: 1\n", "for the second time"),
        (VOCABULARY, "</s>: 99999999999999999999\n", "a number of its own"),
        (VOCABULARY, "</s>: &x [0]\n", "YAML as Marian writes it"),
        (VOCABULARY, "not a vocabulary", "YAML as Marian writes it"),
        ("decoder.yml", "models:\n  - a.npz\n  - b.npz\n", "must name one model"),
        ("decoder.yml", "models:\n  - model.intgemm.alphas.bin\n", "(.bin) are not imported"),
        ("decoder.yml", "models:\n  - missing.npz\n", "missing.npz` must be a file, but is not there"),
        ("decoder.yml", "vocabs:\n  - /etc/passwd\n  - /etc/passwd\n", "copy/passwd` must be a file, but is not there"),
        ("decoder.yml", "vocabs:\n  - vocab.yml\n", "must name two files"),
        ("decoder.yml", "vocabs:\n  - vocab.yml\n  - vocab.yml\n", "vocab.yml` must be a file, but is not there"),
        ("decoder.yml", "beam-size: many\n", "numbers that a search can have"),
        ("decoder.yml", "normalize: nan\n", "numbers that a search can have"),
        ("source.spm", "not a model", "sentencepiece model"),
    ],
)
def test_other_files_that_are_damaged_or_lie_are_refused(copy, file, content, said):
    (copy / file).write_text(content)
    assert said in refused(copy)


def test_vocabularies_of_another_kind_are_refused(copy):
    (copy / "decoder.yml").write_text("vocabs:\n  - a.fsv\n  - a.fsv\n")
    (copy / "a.fsv").write_text("_lemma\n")
    assert "factored vocabularies (.fsv)" in refused(copy)


def test_a_penalty_for_every_word_is_named(copy):
    with open(copy / "decoder.yml", "a") as file:
        file.write("allow-unk: true\n")
    (copy / "decoder.yml").write_text(
        (copy / "decoder.yml").read_text().replace("word-penalty: 0", "word-penalty: 0.2")
    )
    result = CliRunner().invoke(app, ["import", str(copy), "--out", str(copy.parent / "out")])
    assert "not kept: `word-penalty` 0.2" in result.output
    assert "allow-unk" not in result.output


def test_a_vocabulary_may_be_a_sentencepiece_model(published, copy):
    (copy / "decoder.yml").unlink()
    (copy / VOCABULARY).unlink()
    (copy / "vocab.spm").write_bytes((copy / "source.spm").read_bytes())
    assert "must have a piece for each of the 188 rows" in refused(copy)
    rows = 111
    arrays = {**published[1], "Wemb": published[1]["Wemb"][:rows]}
    arrays["decoder_ff_logit_out_b"] = arrays["decoder_ff_logit_out_b"][:, :rows]
    write_npz(copy / NPZ, arrays, OPTIONS)
    assert CliRunner().invoke(app, ["import", str(copy), "--out", str(copy.parent / "out")]).exit_code == 0
    tokenizer = saccade.load(copy.parent / "out", device="cpu").target_tokenizer
    assert tokenizer.decode(tokenizer.encode(["abc"])[0]) == "abc"


@pytest.mark.slow
@pytest.mark.parametrize("name", [NPZ, VOCABULARY, "decoder.yml"])
def test_whatever_bytes_are_changed_the_model_is_imported_or_refused_in_a_line(copy, name):
    """Never a traceback, and never a model of other shapes: in the weights every change is found by its checksum."""
    draw, whole = random.Random(name), (copy / name).read_bytes()
    read = 0
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(draw.choice((1, 1, 3, 30))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        (copy / name).write_bytes(content[: draw.choice((len(content), draw.randrange(len(content))))])
        try:
            found = read_model(copy)
        except SaccadeError as problem:
            assert "\n" not in str(problem)  # noqa: PT017 what is asserted is the text, if there is an error at all
        else:
            read += 1
            assert found.source_tokenizer.size == 190
    assert read < 75 if name == NPZ else read > 0
