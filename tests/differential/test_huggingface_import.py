"""Models of transformers, imported, give the same logits and the same outputs as transformers gives.

The weights are random: what is compared is what every number does, not what a model has learned.
"""

import json
from dataclasses import replace

import pytest
import torch

pytest.importorskip("transformers")

import transformers
from tests.differential.huggingface_folders import marian_folder, pegasus_folder, sentences

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.interop.huggingface_generation import search_settings
from saccade.interop.imports import read_model
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

KINDS = {
    "marian": lambda folder: marian_folder(folder),
    "marian, separate vocabularies, pickled": lambda folder: marian_folder(folder, separate=True, pickled=True),
    "marian, gelu, unscaled, not tied": lambda folder: marian_folder(
        folder, activation_function="gelu", scale_embedding=False, tie_word_embeddings=False
    ),
    "pegasus": lambda folder: pegasus_folder(folder),
}


@pytest.fixture(scope="module", params=KINDS)
def both(request, tmp_path_factory):
    """A model of transformers in evaluation mode, and what we read of its folder."""
    folder = tmp_path_factory.mktemp("model")
    return KINDS[request.param](folder), read_model(folder)


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    theirs = marian_folder(folder)
    return theirs, read_model(folder), transformers.MarianTokenizer.from_pretrained(folder)


def original(tokenizer, rows, start):
    """The ids of transformers for ours; what the decoder begins with has no other."""
    ids = [start if number is None else number for number in tokenizer.vocabulary.original_ids]
    return torch.tensor(ids)[rows]


def sources_of(imported, lines):
    return Sequences.of([[*tokens, EOS] for tokens in imported.source_tokenizer.encode(lines)])


@torch.no_grad()
def test_logits_equal_those_of_transformers(both):
    theirs, imported = both
    source = sources_of(imported, sentences(1, 5))
    target = Sequences.of([[*row, EOS] for row in imported.target_tokenizer.encode(sentences(2, 5))])
    start = theirs.config.decoder_start_token_id
    expected = theirs(
        input_ids=original(imported.source_tokenizer, source.tokens, start),
        attention_mask=source.mask.long(),
        decoder_input_ids=original(imported.target_tokenizer, target.reads.tokens, start),
    ).logits
    found = imported.model.decode(target.reads, imported.model.encode(source))
    compared = [token for token in range(found.shape[-1]) if token not in (PAD, BOS)]
    ids = original(imported.target_tokenizer, torch.tensor(compared), start)
    difference = found[target.mask][:, compared] - expected[target.mask][:, ids]
    assert difference.abs().max() < 1e-5
    assert expected[target.mask].std() > 0.5


def test_weights_that_transformers_cuts_into_parts_are_those_of_one_file(tmp_path):
    theirs = marian_folder(tmp_path)
    whole = read_model(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    theirs.save_pretrained(tmp_path, max_shard_size="8KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 3
    parts = read_model(tmp_path).model.state_dict()
    assert all(torch.equal(parts[name], tensor) for name, tensor in whole.model.state_dict().items())


def test_a_model_that_comes_in_and_goes_out_again_is_the_same_bit_for_bit(tmp_path):
    from safetensors.torch import load_file
    from typer.testing import CliRunner

    from saccade.cli.main import app

    folder, model, again = tmp_path / "theirs", tmp_path / "ours", tmp_path / "again"
    marian_folder(folder)
    assert CliRunner().invoke(app, ["import", str(folder), "--out", str(model)]).exit_code == 0
    assert CliRunner().invoke(app, ["export", str(model), "--to", "huggingface", "--out", str(again)]).exit_code == 0
    one, other = (load_file(path / "model.safetensors") for path in (folder, again))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    for name in ("source.spm", "target.spm"):
        assert (folder / name).read_bytes() == (again / name).read_bytes()
    for name, keys in (
        ("vocab.json", None),
        ("generation_config.json", ("num_beams", "bad_words_ids", "eos_token_id")),
    ):
        first, second = (json.loads((path / name).read_text()) for path in (folder, again))
        assert first == second if keys is None else [first[key] for key in keys] == [second[key] for key in keys]


LONGEST = 24


def generated(theirs, imported, lines):
    """What generate() writes for each line, in our ids, up to `LONGEST` tokens, with its score."""
    start, pad = theirs.config.decoder_start_token_id, theirs.config.pad_token_id
    source = sources_of(imported, lines)
    ids = original(imported.source_tokenizer, source.tokens, start).masked_fill(~source.mask, pad)
    written = theirs.generate(
        input_ids=ids,
        attention_mask=source.mask.long(),
        max_new_tokens=LONGEST,
        max_length=None,
        forced_eos_token_id=None,  # which would put an end to what is cut; ours is returned as it stands
        return_dict_in_generate=True,
        output_scores=True,
    )
    back = {number: token for token, number in enumerate(imported.target_tokenizer.vocabulary.original_ids)}
    for row, score in zip(written.sequences[:, 1:].tolist(), written.sequences_scores.tolist(), strict=True):
        tokens = [back[number] for number in row]
        yield tuple(tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens), score


def stopping(theirs, imported, early):
    """The same with this `early_stopping` of the generation config."""
    theirs.generation_config.early_stopping = early
    chosen = search_settings(theirs.generation_config.to_dict())
    return theirs, replace(imported, decoding={**imported.decoding, **chosen})


def check_outputs(theirs, imported, lines, likely):
    """With ends made likely to these degrees: without help, a random model goes on for ever or ends at once."""
    lines = [line for line in lines if len(imported.source_tokenizer.encode([line])[0]) < LONGEST]
    search = BeamConfig(**imported.decoding, extra_length=LONGEST)
    imported.model.maximum_length = LONGEST
    written = []
    for bias in likely:
        theirs.final_logits_bias[0, theirs.config.eos_token_id] = bias
        imported.model.output_bias[EOS] = bias
        expected = list(generated(theirs, imported, lines))
        for searched in (beam_search, fast_search):
            found = [best for [best] in searched(imported.model, sources_of(imported, lines), search)]
            assert [best.tokens for best in found] == [tokens for tokens, _ in expected]
            assert [best.score for best in found] == pytest.approx([score for _, score in expected], abs=1e-4)
        written += [tokens for tokens, _ in expected]
    assert 0 < sum(tokens[-1] == EOS for tokens in written) < len(written)
    return written


@pytest.mark.parametrize("early", [False, True, "never"])
@torch.no_grad()
def test_outputs_equal_those_of_generate(marian, early):
    check_outputs(*stopping(*marian[:2], early), sentences(8, 10), likely=(4.0, 8.0))


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True, "never"])
@torch.no_grad()
def test_a_thousand_outputs_equal_those_of_generate(both, early):
    written = check_outputs(*stopping(*both, early), sentences(9, 400), likely=(4.0, 5.0, 6.0, 7.0))
    assert len(written) > 1_000
    assert len({len(tokens) for tokens in written}) > 4


def test_outputs_are_written_as_transformers_writes_them(marian):
    _, imported, theirs = marian
    tokenizer = imported.target_tokenizer
    for tokens in tokenizer.encode(sentences(2, 20)):
        ids = [tokenizer.vocabulary.original_ids[token] for token in (*tokens, EOS, PAD)]
        written = theirs.decode(ids, skip_special_tokens=True, use_source_tokenizer=False)
        assert tokenizer.decode([*tokens, EOS, PAD]) == " ".join(written.split())


def test_the_specials_of_pegasus_come_before_its_pieces(tmp_path):
    pegasus_folder(tmp_path)
    assert read_model(tmp_path).source_tokenizer.vocabulary.original_ids[:4] == (0, 1, 105, None)
