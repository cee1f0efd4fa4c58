"""Marian's own files, imported: compared with plain loops over its parameters and with CTranslate2's reading."""

from dataclasses import replace

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")  # sentencepiece models are learned as for its folders

from tests.differential.huggingface_folders import LANGUAGES, sentences
from tests.differential.marian_folders import OPTIONS, PRE_NORM, PlainMarian, marian_folder, positions, write_npz

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import fast_search
from saccade.interop.imports import read_model
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

KINDS = {
    "all tied": {},
    "relu, target tied, two vocabularies": {
        "separate": True, "tied-embeddings-all": False, "tied-embeddings": True, "transformer-ffn-activation": "relu",
    },
    "embeddings tied": {"tied-embeddings-all": False, "tied-embeddings-src": True},
    "embeddings and output tied": {"tied-embeddings-all": False, "tied-embeddings-src": True, "tied-embeddings": True},
    "norm before each sub-layer": PRE_NORM,
    "gelu, nothing tied": {"separate": True, "tied-embeddings-all": False, "transformer-ffn-activation": "gelu"},
}  # fmt: skip
FAST = ("all tied", "relu, target tied, two vocabularies", "norm before each sub-layer")


def original(tokenizer, tokens):
    return [tokenizer.vocabulary.original_ids[token] for token in tokens]


@pytest.mark.parametrize(
    "kind", [kind if kind in FAST else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
@torch.no_grad()
def test_logits_equal_those_of_plain_loops_over_the_documented_layout(kind, tmp_path):
    arrays = marian_folder(tmp_path, **KINDS[kind])
    imported = read_model(tmp_path)
    theirs = PlainMarian(arrays, KINDS[kind].get("transformer-ffn-activation", "swish"))
    rows = imported.source_tokenizer.encode([f"{LANGUAGES[1]} {line}" for line in sentences(1, 2)])
    outputs = imported.target_tokenizer.encode(sentences(2, 2))
    source, target = Sequences.of([[*row, EOS] for row in rows]), Sequences.of([[*row, EOS] for row in outputs])
    found = imported.model.decode(target.reads, imported.model.encode(source))
    kept = [token for token in range(found.shape[-1]) if token not in (PAD, BOS)]
    columns = original(imported.target_tokenizer, kept)
    for row, output, logits in zip(rows, outputs, found, strict=True):
        expected = theirs.logits(
            [*original(imported.source_tokenizer, row), 0], original(imported.target_tokenizer, output)
        )
        ours = logits[: len(output) + 1, kept].double().numpy()
        np.testing.assert_allclose(ours, expected[:, columns], atol=1e-5)
        assert expected.std() > 0.5
        assert logits[: len(output) + 1, [PAD, BOS]].max() < -1000


@pytest.fixture(params=[{}, pytest.param(PRE_NORM, marks=pytest.mark.slow)], ids=["post", "pre"])
def both(request, tmp_path):
    """What we read, and what CTranslate2's converter does, which takes a table of positions if the file has one."""
    ctranslate2 = pytest.importorskip("ctranslate2")
    untied = {"tied-embeddings-all": False, "tied-embeddings-src": True, "transformer-ffn-activation": "gelu"}
    untied |= request.param
    arrays = marian_folder(tmp_path / "folder", **untied)
    arrays["decoder_ff_logit_out_b"][0, 0] -= 20  # random models end at once or never: this one never
    [npz] = (tmp_path / "folder").glob("*.npz")
    options, table = {**OPTIONS, **untied}, positions(200).astype(np.float32)
    write_npz(npz, arrays, options)
    write_npz(tmp_path / "with_positions.npz", {**arrays, "Wpos": table}, options)
    vocabularies = [str(tmp_path / "folder" / "opus.spm-spm.vocab.yml")] * 2
    converter = ctranslate2.converters.MarianConverter(str(tmp_path / "with_positions.npz"), vocabularies)
    converter.convert(str(tmp_path / "converted"))
    options = {"device": "cpu", "compute_type": "float32", "intra_threads": 1}
    imported = read_model(tmp_path / "folder")
    for module in imported.model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-5  # that of CTranslate2
    return imported, ctranslate2.Translator(str(tmp_path / "converted"), **options)


@torch.no_grad()
def test_scores_and_outputs_are_those_of_ctranslate2_with_the_same_positions(both):
    imported, translator = both
    pieces = imported.source_tokenizer.pieces
    rows, outputs = (
        imported.source_tokenizer.encode(sentences(3, 30)),
        imported.target_tokenizer.encode(sentences(4, 30)),
    )
    source, target = Sequences.of([[*row, EOS] for row in rows]), Sequences.of([[*row, EOS] for row in outputs])
    theirs = translator.score_batch([pieces(row) for row in rows], [pieces(row) for row in outputs])
    logits = imported.model.decode(target.reads, imported.model.encode(source))
    ours = logits.log_softmax(-1).gather(-1, target.tokens[..., None])[..., 0]
    for row, mask, scores in zip(ours, target.mask, theirs, strict=True):
        np.testing.assert_allclose(row[mask].numpy(), scores.log_probs, atol=5e-5)

    length, size = 29, 11
    alike = [row[:size] for row in imported.source_tokenizer.encode(sentences(5, 40)) if len(row) >= size]
    options = {"beam_size": 4, "length_penalty": 0, "max_decoding_length": length, "return_scores": True}
    theirs = translator.translate_batch([pieces(row) for row in alike], **options)
    config = BeamConfig(**{**imported.decoding, "size": 4, "extra_length": length - size - 1})
    ours = [best for best, *_ in fast_search(imported.model, Sequences.of([[*row, EOS] for row in alike]), config)]
    # Hypotheses of a random model are often nearly as likely as others, pieces in another order: of such two, rounding
    # may keep either. Where nothing is so near, the outputs are equal.
    np.testing.assert_allclose([one.log_probability for one in ours], [one.scores[0] for one in theirs], atol=0.05)
    equal = sum(pieces(one.tokens) == two.hypotheses[0] for one, two in zip(ours, theirs, strict=True))
    assert equal >= 0.9 * len(alike) > 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.parametrize("options", [{}, PRE_NORM], ids=["post", "pre"])
@torch.no_grad()
def test_exported_on_to_transformers_it_keeps_the_positions_it_was_trained_with(tmp_path, options):
    import transformers
    from typer.testing import CliRunner

    from saccade.cli.main import app

    arrays = marian_folder(tmp_path / "folder", **options)
    export = ["export", str(tmp_path / "model"), "--to", "huggingface", "--out", str(tmp_path / "exported")]
    for command in (["import", str(tmp_path / "folder"), "--out", str(tmp_path / "model")], export):
        assert CliRunner().invoke(app, command).exit_code == 0
    imported = read_model(tmp_path / "folder")
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "exported").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "exported")
    for line, output in zip(sentences(1, 5), imported.target_tokenizer.encode(sentences(2, 5)), strict=True):
        source, target = tokenizer(line)["input_ids"], original(imported.target_tokenizer, output)
        start = theirs.config.decoder_start_token_id
        found = theirs(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start, *target]])).logits[0]
        expected = PlainMarian(arrays).logits(source, target)
        # Their norms have an epsilon of 1e-5, Marian's 1e-6; before a sub-layer, what is normalised is small at first.
        tolerance = 3e-4 if options else 2e-5
        np.testing.assert_allclose(found[:, : expected.shape[1]].double(), expected, atol=tolerance)
    back = read_model(tmp_path / "exported")
    assert replace(back.model_config, norm_epsilon=imported.model_config.norm_epsilon) == imported.model_config
    ours, again = imported.model.state_dict(), back.model.state_dict()
    assert ours.keys() == again.keys()
    assert all(torch.equal(ours[name], again[name]) for name in ours)
