"""What a description leaves out or says in an unusual way means what it means to transformers, or is refused."""

import json

import pytest
import torch

pytest.importorskip("transformers")

import transformers
from safetensors.torch import load_file
from tests.differential.huggingface_folders import (
    SIZES,
    m2m100_folder,
    marian_folder,
    pegasus_folder,
    sentences,
    shaken,
)
from tests.differential.test_huggingface_import import original, sources_of

from saccade.errors import FormatError
from saccade.interop.huggingface_vocabulary import pieces_of
from saccade.interop.imports import read_model
from saccade.layers.position import halved_sinusoids, tensor2tensor_sinusoids
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

MODELS = {"marian": transformers.MarianMTModel, "m2m100": transformers.M2M100ForConditionalGeneration}
WRITERS = {"marian": marian_folder, "m2m100": lambda folder: m2m100_folder(folder, nllb=False)}


@torch.no_grad()
def difference(kind, folder):
    """The largest one between our logits and those of transformers for the same folder."""
    theirs, imported = MODELS[kind].from_pretrained(folder, dtype=torch.float32).eval(), read_model(folder)
    if kind == "m2m100":
        imported = imported.between("en", "fr")
    source = sources_of(imported, sentences(1, 5))
    target = Sequences.of([[*row, EOS] for row in imported.target_tokenizer.encode(sentences(2, 5))])
    expected = theirs(
        input_ids=original(imported.source_tokenizer, source.tokens, 0),
        attention_mask=source.mask.long(),
        decoder_input_ids=original(
            imported.target_tokenizer, target.reads.tokens, theirs.config.decoder_start_token_id
        ),
    ).logits
    found = imported.model.decode(target.reads, imported.model.encode(source))
    compared = [token for token in range(found.shape[-1]) if token not in (PAD, BOS)]
    ids = original(imported.target_tokenizer, torch.tensor(compared), 0)
    assert expected[target.mask].std() > 0.5
    return float((found[target.mask][:, compared] - expected[target.mask][:, ids]).abs().max())


def changed(path, **values):
    """Sets entries of a JSON file; None takes one out."""
    content = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({name: value for name, value in content.items() if value is not None}))


@pytest.mark.parametrize("kind", MODELS)
def test_embeddings_are_scaled_as_transformers_does_where_nothing_is_said(kind, tmp_path):
    WRITERS[kind](tmp_path)
    changed(tmp_path / "config.json", scale_embedding=None)
    assert difference(kind, tmp_path) < 1e-5
    for name in ("scale_embedding", "tie_word_embeddings", "share_encoder_decoder_embeddings"):
        changed(tmp_path / "config.json", **{name: "true"})
        with pytest.raises(FormatError, match=f"`{name}` must be true or false, but is 'true'"):
            read_model(tmp_path)
        changed(tmp_path / "config.json", **{name: None})


@pytest.mark.parametrize("offset", [-1, True, "103", 1 << 16])
def test_an_offset_of_pegasus_that_is_no_number_of_pieces_is_refused(offset, tmp_path):
    pegasus_folder(tmp_path)
    changed(tmp_path / "tokenizer_config.json", offset=offset)
    with pytest.raises(FormatError, match=f"`offset` .* must be a number of pieces, but is {offset!r}"):
        read_model(tmp_path)


def numbered(path, pieces):
    path.write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))


def test_a_target_vocabulary_that_transformers_does_not_read_is_refused(tmp_path):
    marian_folder(tmp_path)
    pieces = list(json.loads((tmp_path / "vocab.json").read_text()))
    numbered(tmp_path / "target_vocab.json", [*pieces[:2], *pieces[-2:1:-1], pieces[-1]])
    assert difference("marian", tmp_path) < 1e-5  # one matrix, so it was left over
    changed(tmp_path / "config.json", share_encoder_decoder_embeddings=False)
    with pytest.raises(FormatError, match="`separate_vocabs` must be true, since each side has its own matrix"):
        read_model(tmp_path)
    changed(tmp_path / "config.json", share_encoder_decoder_embeddings=None)
    (tmp_path / "target_vocab.json").unlink()
    changed(tmp_path / "tokenizer_config.json", separate_vocabs=True)
    with pytest.raises(FormatError, match=r"must have target_vocab\.json, since `separate_vocabs` .* is true"):
        read_model(tmp_path)
    changed(tmp_path / "tokenizer_config.json", separate_vocabs="no")
    with pytest.raises(FormatError, match="`separate_vocabs` must be true or false, but is 'no'"):
        read_model(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    assert difference("marian", tmp_path) < 1e-5


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("special", ["pad", "eos"])
def test_numbers_of_specials_that_are_others_than_those_of_their_pieces_are_refused(kind, special, tmp_path):
    WRITERS[kind](tmp_path)
    changed(tmp_path / "config.json", **{f"{special}_token_id": 4})
    with pytest.raises(FormatError, match=f"`{special}_token_id` must be .*, but is 4"):
        read_model(tmp_path)


def test_a_vocabulary_of_the_other_side_is_named(tmp_path):
    marian_folder(tmp_path)
    assert read_model(tmp_path).left_out == ()
    specials = {"<s>", "</s>", "<unk>"}
    paths = tmp_path / "source.spm", tmp_path / "target.spm"
    source, target = (set(pieces_of(path.read_bytes(), path)) - specials for path in paths)
    pieces = list(json.loads((tmp_path / "vocab.json").read_text()))
    numbered(tmp_path / "vocab.json", [f"x{piece}" if piece in source - target else piece for piece in pieces])
    (line,) = read_model(tmp_path).left_out
    assert line.startswith(f"{len(source - target) / len(source):.0%} of the pieces of source.spm")


def test_rows_beyond_the_vocabulary_were_added_to_make_the_size_round(tmp_path):
    marian_folder(tmp_path)
    whole = json.loads((tmp_path / "vocab.json").read_text())
    pieces = [piece for piece in whole if piece != "<pad>"]
    numbered(tmp_path / "vocab.json", ["</s>", "<unk>", "<pad>", *pieces[2:-2]])
    changed(tmp_path / "config.json", pad_token_id=2, decoder_start_token_id=2)
    assert difference("marian", tmp_path) < 1e-5


def test_two_vocabularies_share_a_matrix_only_with_the_same_number_for_what_is_unknown(tmp_path):
    marian_folder(tmp_path)
    changed(tmp_path / "tokenizer_config.json", separate_vocabs=True)
    pieces = list(json.loads((tmp_path / "vocab.json").read_text()))
    numbered(tmp_path / "target_vocab.json", [*pieces[:2], *pieces[-2:1:-1], pieces[-1]])
    assert difference("marian", tmp_path) < 1e-5
    numbered(tmp_path / "target_vocab.json", [pieces[0], pieces[2], pieces[1], *pieces[3:]])
    with pytest.raises(FormatError, match="must give <unk> the same number in the vocabularies of both sides"):
        read_model(tmp_path)


def test_the_decoder_may_begin_with_a_piece_that_the_source_does_not_have(tmp_path):
    marian_folder(tmp_path, separate=True)
    sizes = {"vocab.json": 101, "target_vocab.json": 131}
    for name, size in sizes.items():
        pieces = [piece for piece in json.loads((tmp_path / name).read_text()) if piece != "<pad>"]
        pieces += [f"other{number}" for number in range(size)]
        numbered(tmp_path / name, [*pieces[:2], "<pad>", *pieces[2 : size - 1]])
    config = transformers.MarianConfig(
        vocab_size=101, decoder_vocab_size=131, pad_token_id=2, eos_token_id=0, decoder_start_token_id=127,
        forced_eos_token_id=0, share_encoder_decoder_embeddings=False, activation_function="swish",
        scale_embedding=True, **SIZES,
    )  # fmt: skip
    torch.manual_seed(3)
    shaken(transformers.MarianMTModel(config), seed=4).save_pretrained(tmp_path)
    assert difference("marian", tmp_path) < 1e-5
    changed(tmp_path / "config.json", decoder_start_token_id=131)
    with pytest.raises(FormatError, match="`decoder_start_token_id` must be below 131, .* but is 131"):
        read_model(tmp_path)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("model", ["marian", "marian, own waves", "m2m100"])
def test_a_table_of_positions_may_be_rounded_but_not_another(tmp_path, kind, model):
    own = model != "marian"
    WRITERS[model.split(",")[0]](tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    (tmp_path / "model.safetensors").unlink()
    length, width = SIZES["max_position_embeddings"], SIZES["d_model"]
    called, table = "weight", (tensor2tensor_sinusoids if own else halved_sinusoids)(length, width)
    if model == "m2m100":
        called, table = "weights", tensor2tensor_sinusoids(length + 2, width)
        table[1] = 0.0
    tensors |= {f"model.{side}.embed_positions.{called}": table for side in ("encoder", "decoder")}
    torch.save({name: tensor.to(kind) for name, tensor in tensors.items()}, tmp_path / "pytorch_model.bin")
    assert read_model(tmp_path).model_config.positions == ("tensor2tensor" if own else "halves")
    table[5, 3] += 0.02
    torch.save({name: tensor.to(kind) for name, tensor in tensors.items()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(FormatError, match="must be sines and cosines"):
        read_model(tmp_path)


def test_a_tokenizer_with_code_of_its_own_is_refused_and_not_run(tmp_path):
    marian_folder(tmp_path)
    proof = tmp_path / "was run"
    (tmp_path / "tokenization_small100.py").write_text(f"open({str(proof)!r}, 'w')")
    with pytest.raises(
        FormatError, match=r"but has one with code of its own, tokenization_small100\.py\. Import another"
    ):
        read_model(tmp_path)
    (tmp_path / "tokenization_small100.py").unlink()
    changed(tmp_path / "tokenizer_config.json", auto_map={"AutoTokenizer": ["tokens.Tokens", None]})
    with pytest.raises(FormatError, match="named by `auto_map` in tokenizer_config.json"):
        read_model(tmp_path)
    assert not proof.exists()
