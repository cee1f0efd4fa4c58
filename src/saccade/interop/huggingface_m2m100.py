"""A model of several languages that was imported from M2M100 or NLLB, given back as the folder it came from.

    config.json, model.safetensors     the model: no bias of the output, no table of positions
    generation_config.json             its search, and the language to write where one was kept
    sentencepiece.bpe.model            with vocab.json in M2M100; NLLB numbers its pieces itself
    tokenizer_config.json              the languages, each with its number

What M2M100 has no place for is refused: a bias of the output and a vector of its own to begin with, which training
gives to a model.
"""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from saccade.data.language_tokens import names_both_languages
from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary
from saccade.interop.huggingface_ids import ExportedIds
from saccade.interop.huggingface_json import write_json
from saccade.interop.huggingface_languages import KNOWN
from saccade.interop.trained_model import TrainedModel
from saccade.special_tokens import BOS, EOS

MODEL_TYPE = "m2m_100"
FIRST_POSITION = 2
"""fairseq counts positions from the id of padding on, which is 1."""
_NEEDS = {
    "norm": "pre", "tie": "all", "positions": "tensor2tensor", "position_offset": FIRST_POSITION,
    "attention_bias": True, "start_of_target": "token", "target_space_rows": 0,
}  # fmt: skip


def is_m2m100(trained: TrainedModel) -> bool:
    """Whether the texts of a model begin with their languages."""
    return names_both_languages(trained.source_tokenizer)


def obstacle(trained: TrainedModel) -> str | None:
    """Why M2M100 cannot hold a model whose texts begin with their languages; None where it can."""
    for name, wanted in _NEEDS.items():
        if (value := getattr(trained.model_config, name)) != wanted:
            return (
                f"`{name}` must be {wanted} to be exported to Hugging Face, where models of several languages have "
                f"nothing else, but is {value}."
            )
    tensors = dict(trained.model.named_parameters())
    rows, bias = tensors["target_embedding.weight"], tensors.get("output_bias")
    trained_bias = bias is not None and bool(torch.cat([bias[:BOS], bias[BOS + 1 :]]).any())
    if trained_bias or not torch.equal(rows[BOS], rows[EOS]):
        return (
            "a model of several languages must be as it was imported to be exported to Hugging Face, which has neither "
            "a bias of its output nor a token of its own to begin with, but was trained. Export it to CTranslate2."
        )
    return None


def weights(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Of what a Pegasus model would hold, what an M2M100 model holds."""
    return {name: tensor for name, tensor in theirs.items() if not name.endswith(("logits_bias", "positions.weight"))}


def model_config(pegasus: dict[str, Any]) -> dict[str, Any]:
    """config.json, from that of the Pegasus model with the same sizes."""
    kept = {name: value for name, value in pegasus.items() if name != "static_position_embeddings"}
    dropped = {"encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
    return {**kept, "architectures": ["M2M100ForConditionalGeneration"], "model_type": MODEL_TYPE, **dropped}


def generation_config(settings: dict[str, Any], trained: TrainedModel, ids: ExportedIds) -> dict[str, Any]:
    """generation_config.json: only padding is never written, for an output begins with the token that ends it."""
    vocabulary = vocabulary_of(trained.target_tokenizer)
    forced = [vocabulary.original_ids[vocabulary.ids[piece]] for piece in vocabulary.prefix]
    language = {"forced_bos_token_id": forced[0]} if forced else {}
    return {**settings, "suppress_tokens": [ids.pad], **language}


def write_tokenizer(folder: Path, trained: TrainedModel) -> None:
    """Writes the files of NllbTokenizer or M2M100Tokenizer."""
    source, target = vocabulary_of(trained.source_tokenizer), vocabulary_of(trained.target_tokenizer)
    trained.source_tokenizer.save(folder / "sentencepiece.bpe.model")
    numbers = {piece: number for piece, number in zip(source.pieces, source.original_ids, strict=True)}
    names = {piece: name for name, piece in source.language_names.items()}
    languages = {
        "src_lang": next((names[piece] for piece in source.prefix), None),
        "tgt_lang": next((names[piece] for piece in target.prefix), None),
    }
    first = min(number for piece, number in numbers.items() if piece in source.languages and number is not None)
    known = next((name for name, codes in KNOWN.items() if list(names.values()) == codes.split()), None)
    if known is not None:
        pieces = {piece: number for piece, number in numbers.items() if number is not None and number < first}
        ordered = dict(sorted(pieces.items(), key=lambda one: one[1]))
        write_json(folder / "vocab.json", ordered)
        about: dict[str, Any] = {"tokenizer_class": "M2M100Tokenizer", "language_codes": known}
    else:
        mask = max(number for piece, number in numbers.items() if piece in source.languages and number is not None) + 1
        added = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, **{code: numbers[code] for code in source.languages}}
        added |= {"<mask>": mask} if mask < len(source.pieces) - 1 else {}
        about = {
            "tokenizer_class": "NllbTokenizer",
            "added_tokens_decoder": {str(number): _added(piece) for piece, number in added.items()},
        }
    write_json(
        folder / "tokenizer_config.json", {**about, "additional_special_tokens": list(source.languages), **languages}
    )


def _added(piece: str) -> dict[str, Any]:
    mask = piece == "<mask>"
    return {
        "content": piece, "special": True, "lstrip": mask, "rstrip": False, "normalized": mask, "single_word": False,
    }  # fmt: skip


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """The vocabulary of a tokenizer from elsewhere, which has one."""
    assert tokenizer.vocabulary is not None
    return tokenizer.vocabulary
