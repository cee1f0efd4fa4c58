"""A Transformer as a model folder of Hugging Face transformers, read by its Auto classes without code of ours.

    config.json, model.safetensors     the model: see `huggingface_weights.py`
    generation_config.json             what `generate()` does by default
    tokenizer_config.json, vocab.json, source.spm, target.spm     see `huggingface_tokenizer.py`
    README.md                          the model card
    saccade.json                       ours: see `exported_folder.py`

The norm after each sub-layer is Marian's. The norm before it, with one more at the end of each stack, is Pegasus's:
among the models with sinusoids it alone is built so (M2M100 too, but its positions begin at 2).

Two things differ. Their norms have an epsilon of 1e-5 that no option changes: a model trained with another gives
slightly other numbers. And their search divides log P by |Y|^p, where ours has ((5 + |Y|) / 6)^alpha: p is chosen to
grow alike at the length of a usual sentence.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.interop.exported_folder import check_place, exported_folder
from saccade.interop.huggingface_card import card_text
from saccade.interop.huggingface_tokenizer import write_tokenizers
from saccade.interop.huggingface_weights import has_their_positions, to_huggingface
from saccade.interop.trained_model import TrainedModel
from saccade.sequences import BOS, EOS, PAD, UNK

CONFIG, WEIGHTS, GENERATION, CARD = "config.json", "model.safetensors", "generation_config.json", "README.md"
# How many tokens a sentence has whose best output hangs on the length penalty: it matters least to long ones.
USUAL_LENGTH = 10


def obstacle(trained: TrainedModel) -> str | None:
    """Why Hugging Face's Marian and Pegasus cannot run a model, as an error says it; None where they can."""
    config = trained.model_config
    if trained.architecture != "transformer":
        return (
            "`architecture` must be transformer to be exported to Hugging Face, but is "
            f"{trained.architecture}. Train a transformer on the same text."
        )
    each = config.width / config.heads
    needs: dict[str, tuple[Any, ...]] = {
        "norm": ("post", "pre"),
        "score": ("scaled-dot",),
        "attention_window": (None,),
        "key_width": (None, each),
        "value_width": (None, each),
    }
    for name, allowed in needs.items():
        if (value := getattr(config, name)) not in allowed:
            wanted = " or ".join(str(one) for one in allowed)
            return (
                f"`{name}` must be {wanted} to be exported to Hugging Face, which has nothing else, but is {value}. "
                "Export it to ONNX."
            )
    sizes = trained.source_tokenizer.size, trained.target_tokenizer.size
    if config.norm == "pre" and sizes[0] != sizes[1]:
        return (
            "the vocabularies must have one size to be exported to Hugging Face with `norm` pre, which Pegasus holds, "
            f"but have {sizes[0]} and {sizes[1]} pieces. Export it to ONNX."
        )
    if trained.source_tokenizer.writes_unknown:
        return (
            "the tokenizer must be able to spell every word to be exported to Hugging Face, but is a closed list of "
            "words. Train with other pieces."
        )
    return None


def export(trained: TrainedModel, folder: Path, card: str) -> None:
    """Writes the folder, atomically, replacing an older export; other files in it stay."""
    if (reason := obstacle(trained)) is not None:
        raise ConfigError(reason)
    check_place(folder)
    config = trained.model_config
    named = dict(trained.model.named_buffers()) | dict(trained.model.named_parameters(remove_duplicate=False))
    tensors = {name: tensor.detach().to("cpu", torch.float32) for name, tensor in named.items()}
    with exported_folder(folder, asdict(config)) as partial:
        save_file(to_huggingface(config, tensors), partial / WEIGHTS, metadata={"format": "pt"})
        write_json(partial / CONFIG, model_config(trained))
        write_descriptions(partial, trained, card)


def write_descriptions(folder: Path, trained: TrainedModel, card: str) -> None:
    """What an export has beside its weights and their description: tokenizers, generation config, card."""
    write_tokenizers(folder, trained.source_tokenizer, trained.target_tokenizer, trained.model_config.maximum_length)
    write_json(folder / GENERATION, generation_config(trained))
    (folder / CARD).write_text(card_text(trained, card), encoding="utf-8")


def model_config(trained: TrainedModel) -> dict[str, Any]:
    """config.json."""
    config = trained.model_config
    marian = config.norm == "post"
    shared = {
        "architectures": ["MarianMTModel" if marian else "PegasusForConditionalGeneration"],
        "model_type": "marian" if marian else "pegasus",
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads,
        "encoder_ffn_dim": config.inner_width,
        "decoder_ffn_dim": config.inner_width,
        "activation_function": "relu",
        "max_position_embeddings": config.maximum_length,
        "vocab_size": trained.source_tokenizer.size,
        "scale_embedding": True,
        "static_position_embeddings": all(has_their_positions(config, side) for side in ("encoder", "decoder")),
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.inner_dropout,
        "is_encoder_decoder": True,
        "dtype": "float32",
        "forced_eos_token_id": None,
        **_token_ids(),
    }
    if not marian:
        return {**shared, "tie_word_embeddings": config.tie == "all"}
    return {
        **shared,
        "decoder_vocab_size": trained.target_tokenizer.size,
        "share_encoder_decoder_embeddings": config.tie == "all",
        "tie_word_embeddings": config.tie in ("all", "target"),
    }


def generation_config(trained: TrainedModel) -> dict[str, Any]:
    """generation_config.json: our search, as far as `generate()` can be told."""
    search = BeamConfig(**trained.decoding)
    return {
        **_token_ids(),
        "num_beams": search.size,
        "length_penalty": round(search.alpha * USUAL_LENGTH / (5 + USUAL_LENGTH), 4),
        "early_stopping": False,
        "max_length": trained.model_config.maximum_length,
        "suppress_tokens": [PAD, BOS],
    }


def _token_ids() -> dict[str, int]:
    return {"pad_token_id": PAD, "eos_token_id": EOS, "unk_token_id": UNK, "decoder_start_token_id": BOS}


def write_json(path: Path, content: Any) -> None:
    """Writes a file as Hugging Face's own are written."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
