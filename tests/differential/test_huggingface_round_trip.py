"""From ours to Hugging Face and back, and from Hugging Face to ours and back: nothing changes, to the bit."""

import json

import pytest
import torch
from tests.unit.interop.trained import Trained, make

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.interop.huggingface_export import export
from saccade.interop.imports import read_model
from saccade.models.transformer import TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD
from saccade.tensor_files import read_tensor_file

pytest.importorskip("transformers")

import transformers
from tests.differential.huggingface_folders import m2m100_folder, marian_folder, pegasus_folder, sentences
from tests.differential.marian_folders import marian_folder as written_by_marian

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
SENTENCES = ("Two men are talking in the street.", "Nobody knows why the birds came back so early.", "A dog ran.")

FOLDERS = {"marian": marian_folder, "pegasus": pegasus_folder}


def export_again(found, folder, **languages):
    """An imported model back to where it came from."""
    trained = Trained(found.model, found.source_tokenizer, found.target_tokenizer, decoding=found.decoding, **languages)
    export(trained, folder, "A card.")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_ours_comes_back_as_it_was(norm, tmp_path):
    tokenizer = Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)
    config = TransformerConfig(
        encoder_layers=1, decoder_layers=2, width=27, inner_width=31, heads=3, norm=norm, maximum_length=67
    )
    model = make(config, (tokenizer, tokenizer))
    search = {"size": 3, "alpha": 0.7}
    export(Trained(model, tokenizer, tokenizer, source_language="en", decoding=search), tmp_path / "out", "A card.")
    back = read_model(tmp_path / "out")
    assert back.model_config == config
    assert back.source_tokenizer == back.target_tokenizer == tokenizer
    assert (back.decoding, back.source_language, back.target_language) == (search, "en", None)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), back.model.parameters(), strict=True))


def test_an_export_that_somebody_changed_is_read_like_any_other_model(tmp_path):
    tokenizer = Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, width=12, inner_width=7, heads=3, maximum_length=67)
    model = make(config, (tokenizer, tokenizer))
    export(Trained(model, tokenizer, tokenizer), tmp_path / "out", "A card.")
    settings = json.loads((tmp_path / "out" / "generation_config.json").read_text())
    (tmp_path / "out" / "generation_config.json").write_text(json.dumps({**settings, "num_beams": 7}))
    back = read_model(tmp_path / "out")
    assert (back.decoding["size"], back.model_config.norm_epsilon) == (7, 1e-5)
    assert back.source_tokenizer.size == tokenizer.size + 1


def test_the_languages_of_an_imported_model_come_back(tmp_path):
    marian_folder(tmp_path / "opus")
    found = read_model(tmp_path / "opus")
    languages = {"source_language": found.source_language, "target_language": found.target_language}
    export_again(found, tmp_path / "out", **languages)
    back = read_model(tmp_path / "out")
    assert (back.source_language, back.target_language) == tuple(languages.values()) == ("eng", "fra")


@pytest.mark.slow
@pytest.mark.parametrize("separate", [False, True])
def test_theirs_comes_back_as_it_was(separate, tmp_path):
    marian_folder(tmp_path / "opus", separate=separate)
    export_again(read_model(tmp_path / "opus"), tmp_path / "out")
    before, after = (read_tensor_file(tmp_path / name / "model.safetensors") for name in ("opus", "out"))
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    for name in ("source.spm", "target.spm"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "opus" / name).read_bytes()
    names = ["config.json", "vocab.json", *(["target_vocab.json"] if separate else [])]
    for name in names:
        old, new = (json.loads((tmp_path / folder / name).read_text()) for folder in ("opus", "out"))
        assert {key: new[key] for key in old.keys() & new.keys() - {"forced_eos_token_id", "transformers_version"}} == {
            key: old[key] for key in old.keys() & new.keys() - {"forced_eos_token_id", "transformers_version"}
        }


@pytest.mark.parametrize("kind", FOLDERS)
@torch.no_grad()
def test_a_model_that_begins_with_its_end_still_ends(kind, tmp_path):
    theirs = FOLDERS[kind](tmp_path / "theirs")
    end = theirs.config.eos_token_id
    theirs.config.decoder_start_token_id = theirs.generation_config.decoder_start_token_id = end
    theirs.generation_config.renormalize_logits = theirs.generation_config.bad_words_ids = None
    theirs.generation_config.suppress_tokens = [theirs.config.pad_token_id]
    theirs.final_logits_bias[0, end] = 8.0
    theirs.save_pretrained(tmp_path / "theirs")
    export_again(read_model(tmp_path / "theirs"), tmp_path / "out")
    again = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "out")
    assert again.generation_config.suppress_tokens == [theirs.config.pad_token_id]
    source = torch.tensor([[7, 9, 12, end]])
    written = [model.generate(source, max_length=30).tolist() for model in (theirs, again)]
    assert written[0] == written[1]
    assert end in written[1][0][1:]


def written_by_both(found, folder, lines):
    """What our search and `generate()` of an export make of these lines, as text."""
    again = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    source = Sequences.of([[*tokens, EOS] for tokens in found.source_tokenizer.encode(lines)])
    search = BeamConfig(**found.decoding, extra_length=9)
    limit = source.tokens.shape[1] + 9
    ours = [found.target_tokenizer.decode(best.tokens) for [best] in beam_search(found.model, source, search)]
    batch = tokenizer(lines, return_tensors="pt", padding=True)
    theirs = tokenizer.batch_decode(
        again.generate(**batch, max_new_tokens=limit, forced_eos_token_id=None),
        skip_special_tokens=True,
        use_source_tokenizer=False,
    )
    return ours, [" ".join(text.split()) for text in theirs]


@pytest.mark.parametrize("kind", FOLDERS)
@torch.no_grad()
def test_what_a_trained_import_begins_with_is_not_printed(kind, tmp_path):
    FOLDERS[kind](tmp_path / "theirs")
    found = read_model(tmp_path / "theirs")
    assert found.model_config.start_of_target == "zero"
    rows = found.model.target_embedding.weight
    rows[[PAD, BOS]] += torch.tensor([[0.1], [0.2]])  # as Adam moves them, each by itself
    found.model.output_bias[EOS] = 4.0
    export_again(found, tmp_path / "out")
    ours, theirs = written_by_both(found, tmp_path / "out", sentences(3, 1))
    assert theirs == ours != [""]
    start = json.loads((tmp_path / "out" / "config.json").read_text())["decoder_start_token_id"]
    assert start == json.loads((tmp_path / "theirs" / "config.json").read_text())["pad_token_id"]


@torch.no_grad()
def test_vocabularies_of_two_sizes_have_one_number_for_padding(tmp_path):
    apart = {"tied-embeddings-all": False, "tied-embeddings": True}
    written_by_marian(tmp_path / "theirs", separate=True, **apart)
    found = read_model(tmp_path / "theirs")
    assert found.source_tokenizer.vocabulary.pad != found.target_tokenizer.vocabulary.pad
    found.model.output_bias[EOS] = 1.0
    export_again(found, tmp_path / "out")
    ours, theirs = written_by_both(found, tmp_path / "out", sentences(3, 1))
    assert theirs == ours != [""]


def test_languages_of_m2m100_are_not_printed(tmp_path):
    m2m100_folder(tmp_path / "theirs", nllb=False)
    export_again(read_model(tmp_path / "theirs").between("fr", "de"), tmp_path / "out")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    ids = tokenizer.convert_tokens_to_ids(["</s>", "__de__", *tokenizer.tokenize("abc"), "</s>"])
    assert "__" not in tokenizer.decode(ids, skip_special_tokens=True)


@pytest.mark.parametrize("kind", FOLDERS)
@torch.no_grad()
def test_what_is_cut_at_the_limit_ends_as_it_did(kind, tmp_path):
    theirs = FOLDERS[kind](tmp_path / "theirs")
    end = theirs.config.eos_token_id
    theirs.final_logits_bias[0, end] = -50.0
    theirs.save_pretrained(tmp_path / "theirs")
    export_again(read_model(tmp_path / "theirs"), tmp_path / "out")
    again = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "out")
    written = [model.generate(torch.tensor([[7, 9, 12, end]]), max_length=11).tolist()[0] for model in (theirs, again)]
    assert written[0] == written[1]
    assert written[1][-1] == end


def test_what_is_cut_in_our_own_models_is_given_no_end(tmp_path):
    tokenizer = Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, width=12, inner_width=7, heads=3, maximum_length=67)
    export(Trained(make(config, (tokenizer, tokenizer)), tokenizer, tokenizer), tmp_path / "out", "A card.")
    assert "forced_eos_token_id" not in json.loads((tmp_path / "out" / "generation_config.json").read_text())
