"""A Transformer as a model folder of Hugging Face transformers, read by its Auto classes without code of ours.

    config.json, model.safetensors     the model: see `huggingface_weights.py`
    generation_config.json             what `generate()` does by default
    tokenizer_config.json, vocab.json, source.spm, target.spm     see `huggingface_tokenizer.py`
    README.md                          the model card
    saccade.json                       ours: see `exported_folder.py`

The norm after each sub-layer is Marian's. The norm before it, with one more at the end of each stack, is Pegasus's:
among the models with sinusoids it alone is built so (M2M100 too, but its positions begin at 2: what was imported from
there is given back as such, see `huggingface_m2m100.py`).

Two things differ. Their norms have an epsilon of 1e-5 that no option changes: a model trained with another gives
slightly other numbers. And their search divides log P by |Y|^p, where ours has ((5 + |Y|) / 6)^alpha: p is chosen to
grow alike at the length of a usual sentence.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.interop import huggingface_m2m100
from saccade.interop.exported_folder import check_place, exported_folder
from saccade.interop.huggingface_card import card_text
from saccade.interop.huggingface_ids import ExportedIds, exported_ids
from saccade.interop.huggingface_json import write_json
from saccade.interop.huggingface_tokenizer import write_tokenizers
from saccade.interop.huggingface_weights import forbids_padding, has_their_positions, to_huggingface
from saccade.interop.trained_model import TrainedModel
from saccade.special_tokens import BOS
from saccade.tensor_files import write_tensors

PROGRAM = "Hugging Face"
CONFIG, WEIGHTS, GENERATION, CARD = "config.json", "model.safetensors", "generation_config.json", "README.md"
ACTIVATIONS = {"relu": "relu", "silu": "swish", "gelu": "gelu", "quick_gelu": "quick_gelu"}
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
    each = config.width // config.heads
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
            instead = "Export it to ONNX." if name.endswith("width") else "Train another, or use it with saccade."
            return (
                f"`{name}` must be {wanted} to be exported to Hugging Face, which has nothing else, but is {value}. "
                f"{instead}"
            )
    if huggingface_m2m100.is_m2m100(trained):
        return huggingface_m2m100.obstacle(trained)
    sizes = trained.source_tokenizer.size, trained.target_tokenizer.size
    if config.norm == "pre" and sizes[0] != sizes[1]:
        return (
            "the vocabularies must have one size to be exported to Hugging Face with `norm` pre, which Pegasus holds, "
            f"but have {sizes[0]} and {sizes[1]} pieces. Export it to ONNX."
        )
    return tokenizer_obstacle(trained)


def tokenizer_obstacle(trained: TrainedModel) -> str | None:
    """Why MarianTokenizer would give other ids than ours."""
    tokenizer = trained.source_tokenizer
    if tokenizer.writes_unknown:
        return (
            "the tokenizer must be able to spell every word to be exported, but is a closed list of words. "
            "Train with other pieces."
        )
    if tokenizer.vocabulary is not None and tokenizer.vocabulary.prefix:
        return (
            "the tokenizer must begin a text with its own pieces to be exported, but puts "
            f"{' '.join(tokenizer.vocabulary.prefix)} before every one. Use the model it was imported from."
        )
    return None


def export(trained: TrainedModel, folder: Path, card: str) -> None:
    """Writes the folder, atomically, replacing an older export; other files in it stay."""
    if (reason := obstacle(trained)) is not None:
        raise ConfigError(reason)
    check_place(folder, PROGRAM)
    config = trained.model_config
    named = dict(trained.model.named_buffers()) | dict(trained.model.named_parameters(remove_duplicate=False))
    tensors = {name: tensor.detach().to("cpu", torch.float32) for name, tensor in named.items()}
    ids = exported_ids(
        trained.source_tokenizer, trained.target_tokenizer, tensors["target_embedding.weight"], config.start_of_target
    )
    weights = to_huggingface(config, tensors, ids)
    if huggingface_m2m100.is_m2m100(trained):
        weights = huggingface_m2m100.weights(weights)
    with exported_folder(folder, PROGRAM, described(trained)) as partial:
        write_tensors(partial / WEIGHTS, weights, {"format": "pt"})
        write_descriptions(partial, trained, card, ids, renormalise=forbids_padding(config, tensors))


def described(trained: TrainedModel) -> dict[str, Any]:
    """What saccade.json keeps of a model, so that it can be read back as it was."""
    return {
        "config": asdict(trained.model_config),
        "decoding": dict(trained.decoding),
        "source_language": trained.source_language,
        "target_language": trained.target_language,
    }


def write_descriptions(
    folder: Path, trained: TrainedModel, card: str, ids: ExportedIds, *, renormalise: bool = False
) -> None:
    """What an export has beside its weights: both configs, tokenizers, card."""
    length = trained.model_config.maximum_length
    described_model, search = model_config(trained, ids), generation_config(trained, ids, renormalise)
    if huggingface_m2m100.is_m2m100(trained):
        described_model = huggingface_m2m100.model_config(described_model)
        search = huggingface_m2m100.generation_config(search, trained, ids)
        huggingface_m2m100.write_tokenizer(folder, trained)
    else:
        languages = trained.source_language, trained.target_language
        write_tokenizers(folder, trained.source_tokenizer, trained.target_tokenizer, ids, length, languages)
    write_json(folder / CONFIG, described_model)
    write_json(folder / GENERATION, search)
    (folder / CARD).write_text(card_text(trained, card), encoding="utf-8")


def model_config(trained: TrainedModel, ids: ExportedIds) -> dict[str, Any]:
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
        "activation_function": ACTIVATIONS[config.activation],
        "max_position_embeddings": config.maximum_length,
        "vocab_size": len(ids.source),
        "scale_embedding": config.scale_embedding,
        "static_position_embeddings": all(has_their_positions(config, side) for side in ("encoder", "decoder")),
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.inner_dropout,
        "is_encoder_decoder": True,
        "dtype": "float32",
        "forced_eos_token_id": None,
        **_token_ids(ids),
    }
    if not marian:
        return {**shared, "tie_word_embeddings": config.tie == "all"}
    return {
        **shared,
        "decoder_vocab_size": len(ids.target),
        "share_encoder_decoder_embeddings": config.tie == "all",
        "tie_word_embeddings": config.tie in ("all", "target"),
    }


def generation_config(trained: TrainedModel, ids: ExportedIds, renormalise: bool = False) -> dict[str, Any]:
    """generation_config.json: our search, as far as `generate()` can be told."""
    search = BeamConfig(**trained.decoding)
    power = search.alpha if search.length_rule == "power" else search.alpha * USUAL_LENGTH / (5 + USUAL_LENGTH)
    # A start that is a piece of the origin may be written: where it is `</s>`, nothing would ever end without it.
    ours = ids.target[ids.start] == BOS
    unwritten: dict[str, Any] = {"suppress_tokens": sorted({ids.pad, ids.start} if ours else {ids.pad})}
    if renormalise:
        unwritten = {"bad_words_ids": [[ids.pad]], "renormalize_logits": True}
    # Marian and Pegasus end what is cut at their limit with `</s>`; M2M100 and our own search return it as it stands.
    forced = {} if ours or huggingface_m2m100.is_m2m100(trained) else {"forced_eos_token_id": ids.eos}
    return {
        **_token_ids(ids),
        "num_beams": search.size,
        "length_penalty": round(power, 4),
        "early_stopping": _early_stopping(search),
        "max_length": trained.model_config.maximum_length,
        **unwritten,
        **forced,
    }


def _early_stopping(search: BeamConfig) -> bool | str:
    if search.stop == "first-finished":
        return True
    return "never" if search.length_rule == "power" and search.stop in ("returned", "longest-length") else False


def _token_ids(ids: ExportedIds) -> dict[str, int]:
    return {
        "pad_token_id": ids.pad,
        "eos_token_id": ids.eos,
        "unk_token_id": ids.unk,
        "decoder_start_token_id": ids.start,
    }
