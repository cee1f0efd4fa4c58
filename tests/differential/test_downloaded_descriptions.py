"""The descriptions that models have on the Hub, old and new, with all their keys: none is refused for one of them.

They are those of the models named, but for the sizes, and lie beside random weights.
"""

import json
from collections import OrderedDict

import pytest
import torch

pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file
from tests.differential.huggingface_folders import (
    NLLB_LANGUAGES,
    SIZES,
    m2m100_folder,
    marian_folder,
    pegasus_folder,
)

from saccade.interop.huggingface_languages import M2M100
from saccade.interop.imports import read_model

SMALL = {name: value for name, value in SIZES.items() if name != "init_std"}
SMALL["num_hidden_layers"] = SIZES["encoder_layers"]
BART = {
    "_num_labels": 3, "activation_dropout": 0.0, "add_bias_logits": False, "add_final_layer_norm": False,
    "attention_dropout": 0.0, "bos_token_id": 0, "classif_dropout": 0.0, "classifier_dropout": 0.0,
    "decoder_layerdrop": 0.0, "dropout": 0.1, "encoder_layerdrop": 0.0, "extra_pos_embeddings": 58101,
    "gradient_checkpointing": False, "id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, "init_std": 0.02,
    "is_encoder_decoder": True, "label2id": {"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2}, "normalize_before": False,
    "normalize_embedding": False, "num_hidden_layers": 6, "output_past": True, "scale_embedding": True,
    "static_position_embeddings": True, "use_cache": True,
}  # fmt: skip
OPUS = {
    **BART, "activation_function": "swish", "architectures": ["MarianMTModel"], "eos_token_id": 0, "max_length": 512,
    "model_type": "marian", "num_beams": 6,
}  # fmt: skip
BIG = {
    "_name_or_path": "marian-models/opusTCv20210807+bt_transformer-big_2022-03-13/eng-fra", "activation_dropout": 0.0,
    "activation_function": "swish", "architectures": ["MarianMTModel"], "attention_dropout": 0.0, "bos_token_id": 0,
    "classifier_dropout": 0.0, "decoder_layerdrop": 0.0, "dropout": 0.1, "encoder_layerdrop": 0.0, "eos_token_id": 0,
    "forced_eos_token_id": 0, "init_std": 0.02, "is_encoder_decoder": True, "max_length": 512, "model_type": "marian",
    "normalize_embedding": False, "num_beams": 4, "num_hidden_layers": 6, "scale_embedding": True,
    "share_encoder_decoder_embeddings": True, "static_position_embeddings": True, "torch_dtype": "float16",
    "transformers_version": "4.18.0.dev0", "use_cache": True,
}  # fmt: skip
SAVED_BY_5 = {
    **{name: value for name, value in OPUS.items() if name not in ("max_length", "num_beams")}, "dtype": "float32",
    "is_decoder": False, "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True,
    "transformers_version": "5.1.0",
}  # fmt: skip
MARIAN = {
    "opus-mt-en-ROMANCE": (OPUS, None, {"target_lang": "ROMANCE", "source_lang": "en"}),
    "opus-mt-en-de": (
        {**OPUS, "_name_or_path": "/tmp/Helsinki-NLP/opus-mt-en-de", "forced_eos_token_id": 0,
         "share_encoder_decoder_embeddings": True, "transformers_version": "4.22.0.dev0"},
        {"_from_model_config": True, "bos_token_id": 0, "eos_token_id": 0, "forced_eos_token_id": 0, "max_length": 512,
         "num_beams": 6, "renormalize_logits": True, "transformers_version": "4.32.0.dev0"},
        {"target_lang": "de", "source_lang": "en"},
    ),
    "opus-mt-tc-big-en-fr": (
        BIG, None,
        {"source_lang": "eng", "target_lang": "fra", "unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>",
         "model_max_length": 512, "sp_model_kwargs": {}, "separate_vocabs": False, "special_tokens_map_file": None,
         "name_or_path": "marian-models/eng-fra", "tokenizer_class": "MarianTokenizer"},
    ),
    "saved by transformers 5": (
        SAVED_BY_5, {"eos_token_id": [0], "max_length": 512, "num_beams": 6, "transformers_version": "5.1.0"},
        {"backend": "custom", "is_local": True, "separate_vocabs": None, "source_lang": None, "target_lang": None,
         "tokenizer_class": "MarianTokenizer", "added_tokens_decoder": {"0": {"content": "</s>", "special": True}}},
    ),
}  # fmt: skip


def write(folder, name, content):
    (folder / name).unlink(missing_ok=True)
    if content is not None:
        (folder / name).write_text(json.dumps(content))


@pytest.mark.parametrize("name", MARIAN)
@pytest.mark.parametrize("weights", ["safetensors", "zipped", "older"])
def test_a_description_of_opus_mt(name, weights, tmp_path):
    theirs = marian_folder(tmp_path)
    pad = theirs.config.pad_token_id
    config, generation, tokenizer = MARIAN[name]
    sizes = {"vocab_size": pad + 1, "pad_token_id": pad, "decoder_start_token_id": pad, **SMALL}
    if "share_encoder_decoder_embeddings" in config:
        sizes["decoder_vocab_size"] = pad + 1
    ids = {"bad_words_ids": [[pad]], "decoder_start_token_id": pad, "pad_token_id": pad}
    write(tmp_path, "config.json", {**config, **sizes, **(ids if generation is None else {})})
    write(tmp_path, "generation_config.json", None if generation is None else {**generation, **ids})
    write(tmp_path, "tokenizer_config.json", tokenizer)
    if weights != "safetensors":  # with every name of what is tied, and the tables of positions
        (tmp_path / "model.safetensors").unlink()
        state = OrderedDict((name, tensor.half()) for name, tensor in theirs.state_dict().items())
        torch.save(state, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=weights == "zipped")
    found = read_model(tmp_path)
    assert (found.left_out, found.model_config.tie, found.model_config.activation) == ((), "all", "silu")
    assert found.decoding["size"] == (4 if "big" in name else 6)
    assert found.target_language == tokenizer["target_lang"]


PEGASUS = {
    **BART, "activation_dropout": 0.1, "activation_function": "relu", "add_final_layer_norm": True,
    "architectures": ["PegasusForConditionalGeneration"], "attention_dropout": 0.1, "decoder_start_token_id": 0,
    "eos_token_id": 1, "extra_pos_embeddings": 1, "force_bos_token_to_be_generated": False, "forced_eos_token_id": 1,
    "length_penalty": 0.6, "max_length": 64, "model_type": "pegasus", "normalize_before": True, "num_beams": 8,
    "num_hidden_layers": 16, "pad_token_id": 0,
    "task_specific_params": {"summarization_cnn_dailymail": {"length_penalty": 0.8, "min_length": 32, "num_beams": 4}},
    "transformers_version": "4.11.0.dev0",
}  # fmt: skip


@pytest.mark.parametrize("older", [True, False])
def test_the_description_of_pegasus_xsum(older, tmp_path):
    theirs = pegasus_folder(tmp_path)
    write(tmp_path, "config.json", {**PEGASUS, "vocab_size": theirs.config.vocab_size, **SMALL})
    names = "decoder_start_token_id", "eos_token_id", "forced_eos_token_id", "length_penalty", "max_length", "num_beams"
    generation = {"_from_model_config": True, "pad_token_id": 0, **{name: PEGASUS[name] for name in names}}
    write(tmp_path, "generation_config.json", None if older else generation)
    write(tmp_path, "tokenizer_config.json", {"model_max_length": 512, "full_tokenizer_file": None})
    masks = ["<mask_1>", *(f"<unk_{number}>" for number in range(2, 103))]
    write(tmp_path, "special_tokens_map.json", {"eos_token": "</s>", "additional_special_tokens": masks})
    found = read_model(tmp_path)
    assert (found.left_out, found.decoding["size"], found.decoding["alpha"]) == ((), 8, 0.6)


M2M = {
    "activation_dropout": 0.0, "activation_function": "relu", "architectures": ["M2M100ForConditionalGeneration"],
    "attention_dropout": 0.1, "bos_token_id": 0, "decoder_layerdrop": 0, "decoder_start_token_id": 2, "dropout": 0.1,
    "encoder_layerdrop": 0, "eos_token_id": 2, "init_std": 0.02, "is_encoder_decoder": True, "max_length": 200,
    "model_type": "m2m_100", "num_hidden_layers": 12, "pad_token_id": 1, "scale_embedding": True,
    "torch_dtype": "float32", "transformers_version": "4.21.0.dev0", "use_cache": True,
}  # fmt: skip
GIVEN = {
    "_from_model_config": True, "bos_token_id": 0, "decoder_start_token_id": 2, "eos_token_id": 2, "max_length": 200,
    "pad_token_id": 1, "transformers_version": "4.27.0.dev0",
}  # fmt: skip


@pytest.mark.parametrize("nllb", [True, False])
def test_the_descriptions_of_nllb_and_m2m100(nllb, tmp_path):
    theirs = m2m100_folder(tmp_path, nllb=nllb)
    search = {} if nllb else {"early_stopping": True, "num_beams": 5}
    about = {"tokenizer_class": "NllbTokenizer"} if nllb else {"_name_or_path": "hf_models/m2m100_418M"}
    config = {**M2M, **about, **search, "vocab_size": theirs.config.vocab_size, **SMALL}
    write(tmp_path, "config.json", config)
    write(tmp_path, "generation_config.json", {**GIVEN, **search})
    languages = list(NLLB_LANGUAGES) if nllb else [f"__{code}__" for code in M2M100.split()]
    write(tmp_path, "special_tokens_map.json", {"mask_token": "<mask>", "additional_special_tokens": languages})
    tokenizer = (
        {"tokenizer_class": "NllbTokenizer", "additional_special_tokens": None, "sp_model_kwargs": {}}
        if nllb
        else {"language_codes": "m2m100", "num_madeup_words": 8, "tokenizer_class": "M2M100Tokenizer"}
    )
    write(tmp_path, "tokenizer_config.json", {**tokenizer, "src_lang": None, "tgt_lang": None})
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["lm_head.weight"] = tensors["model.shared.weight"].clone()  # of what is tied, the Hub has every name
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    found = read_model(tmp_path)
    assert (found.left_out, found.source_language, found.target_language) == ((), None, None)
    assert found.decoding["size"] == search.get("num_beams", 1)
    assert set(found.source_tokenizer.vocabulary.languages) == set(languages)
