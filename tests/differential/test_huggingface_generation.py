"""What a generation config asks for and our search does not do is said, by its key; transformers says what it does."""

import json
import shutil

import pytest
import torch

pytest.importorskip("transformers")

import transformers
from tests.differential.huggingface_folders import marian_folder

from saccade.interop.huggingface_generation import generation_settings, left_out, left_out_ids, renormalises_without
from saccade.interop.imports import read_model

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
SOURCE = [7, 9, 12, 31, 5, 0]


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    theirs = marian_folder(folder)
    theirs.final_logits_bias[0, 0] = 4.0
    theirs.save_pretrained(folder)
    return folder


def copied(folder, new, **changes):
    """A copy with other generation settings."""
    shutil.copytree(folder, new)
    settings = json.loads((new / "generation_config.json").read_text())
    (new / "generation_config.json").write_text(json.dumps({**settings, **changes}))
    return new


def with_settings(folder, new, **changes):
    """The same, as transformers loads it."""
    return transformers.AutoModelForSeq2SeqLM.from_pretrained(copied(folder, new, **changes))


@torch.no_grad()
def written(model):
    return model.generate(torch.tensor([SOURCE]), max_length=17).tolist()


CHANGES = {
    "repetition_penalty": 9.0,
    "encoder_repetition_penalty": 9.0,
    "no_repeat_ngram_size": 1,
    "exponential_decay_length_penalty": [2, 9.5],
    "forced_bos_token_id": 5,
    "decoder_start_token_id": 5,
    "eos_token_id": [0, 149],
    "forced_eos_token_id": 7,
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_an_output_is_said(marian, tmp_path, name):
    plain = written(with_settings(marian, tmp_path / "plain"))
    changed = with_settings(marian, tmp_path / "changed", **{name: CHANGES[name]})
    assert written(changed) != plain
    config, settings = (
        json.loads((tmp_path / "changed" / f"{file}.json").read_text()) for file in ("config", "generation_config")
    )
    said = (*left_out(settings, config["pad_token_id"]), *left_out_ids(settings, config))
    assert [line.split("`")[1] for line in said] == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_length", 9),
        ("sequence_bias", [[[5], -9.0]]),
        ("forced_decoder_ids", [[1, 5]]),
        ("force_words_ids", [[5]]),
        ("stop_strings", ["a"]),
        ("guidance_scale", 2.0),
        ("num_return_sequences", 2),
        ("penalty_alpha", 0.6),
        ("watermarking_config", {"bias": 2.5}),
        ("max_time", 0.5),
        ("suppress_tokens", [188, 7]),
        ("begin_suppress_tokens", [7]),
    ],
)
def test_other_settings_are_said_in_an_import(marian, tmp_path, name, value):
    found = read_model(copied(marian, tmp_path / "changed", **{name: value}))
    assert [line.split("`")[1] for line in found.left_out] == [name]


def test_what_a_folder_has_anyway_is_not_said(marian):
    config, settings = (json.loads((marian / f"{file}.json").read_text()) for file in ("config", "generation_config"))
    assert settings["forced_eos_token_id"] == config["eos_token_id"]
    assert left_out(settings, config["pad_token_id"]) == left_out_ids(settings, config) == ()
    usual = json.loads(transformers.GenerationConfig().to_json_string(use_diff=False))
    assert left_out(usual, 1) == ()


def test_a_language_to_write_is_no_forced_token():
    assert left_out_ids({"forced_bos_token_id": 9}, {"model_type": "m2m_100"}) == ()
    assert "`forced_bos_token_id` 9" in left_out_ids({"forced_bos_token_id": 9}, {"model_type": "pegasus"})[0]


def test_padding_and_the_start_are_never_written_anyway():
    assert left_out({"suppress_tokens": [0, 3], "decoder_start_token_id": 3, "eos_token_id": 1}, 0) == ()
    assert left_out({"suppress_tokens": [0, 3], "decoder_start_token_id": 1, "eos_token_id": 1}, 0)
    assert left_out({"suppress_tokens": [0, 1], "decoder_start_token_id": 1, "eos_token_id": 1}, 0)


def test_padding_that_is_suppressed_is_forbidden_too():
    assert renormalises_without({"renormalize_logits": True, "suppress_tokens": [3]}, 3)
    assert not renormalises_without({"renormalize_logits": True, "suppress_tokens": [4]}, 3)


def test_an_empty_generation_config_is_one_and_none_is_that_of_the_model(tmp_path):
    model = {"num_beams": 7}
    assert generation_settings(tmp_path, model) == model
    (tmp_path / "generation_config.json").write_text("{}")
    assert generation_settings(tmp_path, model) == {}


def test_an_import_says_other_ids_and_goes_by_an_empty_config(marian, tmp_path):
    loaded = with_settings(marian, tmp_path / "changed", forced_bos_token_id=5, eos_token_id=[0, 7])
    assert loaded.generation_config.forced_bos_token_id == 5
    assert [line.split("`")[1] for line in read_model(tmp_path / "changed").left_out] == [
        "eos_token_id",
        "forced_bos_token_id",
    ]
    config = json.loads((tmp_path / "changed" / "config.json").read_text())
    (tmp_path / "changed" / "config.json").write_text(json.dumps({**config, "num_beams": 7}))
    (tmp_path / "changed" / "generation_config.json").write_text("{}")
    assert read_model(tmp_path / "changed").decoding["size"] == 1
