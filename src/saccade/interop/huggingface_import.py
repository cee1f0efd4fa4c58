"""A downloaded Hugging Face model as one of ours: Marian (OPUS-MT), Pegasus and M2M100 (NLLB too).

    config.json                 sizes, activation, special tokens
    model.safetensors           the weights, or pytorch_model.bin
    generation_config.json      the search (older folders have it in config.json)
    source.spm, vocab.json, ... the tokenizers: `huggingface_vocabulary.py`

All are the Transformer of the paper with a few settings of their own, which our config has: biases, the
activation, an epsilon, all sines before all cosines. The norm is after each sub-layer in Marian and before it in the
others. M2M100 has the waves of tensor2tensor, and its first token stands at position 2. Rows are put into the order of
our token ids, PAD, EOS, UNK, BOS first. Their decoder begins with the vector of PAD, or in M2M100 of EOS, which becomes
that of BOS.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import Vocabulary
from saccade.errors import ConfigError, FormatError
from saccade.interop.checkpoint_files import optional_object, read_object, read_weights
from saccade.interop.huggingface_generation import (
    generation_settings,
    left_out,
    left_out_ids,
    renormalises_without,
    search_settings,
)
from saccade.interop.huggingface_m2m100 import FIRST_POSITION, MODEL_TYPE, vocabulary_of
from saccade.interop.huggingface_vocabulary import (
    check_tokenizer_has_no_code,
    hardly_numbered,
    m2m100_tokenizer,
    marian_tokenizers,
    pegasus_tokenizer,
)
from saccade.interop.huggingface_weights import places
from saccade.interop.imported_model import (
    LARGEST_POSITION,
    ImportedModel,
    built,
    output_bias,
    transformer_config,
    with_start,
)
from saccade.layers.position import halved_sinusoids, tensor2tensor_sinusoids
from saccade.models.contract import IMPOSSIBLE
from saccade.special_tokens import BOS, PAD

KINDS = {"marian": "post", "pegasus": "pre", "m2m_100": "pre"}
"""The model types that can be imported, and where their norms are."""
_SCALED = {"marian": False, "pegasus": False, "m2m_100": True}
"""What transformers takes where a config.json leaves `scale_embedding` out."""
_ACTIVATIONS = {"relu": "relu", "swish": "silu", "silu": "silu", "gelu": "gelu", "quick_gelu": "quick_gelu"}
_EPSILON = 1e-5  # torch's own, which Hugging Face's layers have
_SHARED, _POSITIONS = "model.shared.weight", "embed_positions"
_SOURCE, _TARGET, _OUTPUT = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"
_MATRICES: dict[str, dict[str, tuple[str, ...]]] = {
    "all": {"target_embedding": (_SHARED, _SOURCE, _TARGET, _OUTPUT)},
    "embeddings": {"target_embedding": (_SHARED, _SOURCE, _TARGET), "output": (_OUTPUT,)},
    "target": {"source_embedding": (_SOURCE,), "target_embedding": (_TARGET, _OUTPUT)},
    "none": {"source_embedding": (_SOURCE,), "target_embedding": (_TARGET,), "output": (_OUTPUT,)},
}
"""By our `tie`, the names that each matrix of ours has in their files."""
_NUMBERS = (
    "vocab_size", "decoder_vocab_size", "d_model", "encoder_layers", "decoder_layers", "encoder_attention_heads",
    "decoder_attention_heads", "encoder_ffn_dim", "decoder_ffn_dim", "max_position_embeddings", "pad_token_id",
    "eos_token_id", "decoder_start_token_id",
)  # fmt: skip
_TIES = ("tie_word_embeddings", "share_encoder_decoder_embeddings")
_SHARES = ("dropout", "attention_dropout", "activation_dropout")


def is_huggingface(folder: Path) -> bool:
    """Whether this is the folder of a model that transformers saved."""
    return "model_type" in optional_object(folder / "config.json")


def read_huggingface(folder: Path) -> ImportedModel:
    """The model in a downloaded folder; whatever cannot be imported is refused in one line."""
    config = _checked(read_object(folder / "config.json"), folder)
    check_tokenizer_has_no_code(folder)
    generation = generation_settings(folder, config)
    theirs = {  # a table of positions stays as it was rounded, since it is to be compared
        name: tensor.detach() if _POSITIONS in name else tensor.detach().float()
        for name, tensor in read_weights(folder).items()
    }
    ours = _model_config(config, theirs, folder)
    _check_rows(config, theirs, folder)
    sizes = config["vocab_size"], config["decoder_vocab_size"]
    source, target = _tokenizers(folder, config, sizes)
    vocabularies = vocabulary_of(source), vocabulary_of(target)
    weights = _layers(ours, theirs, folder)
    weights |= _embeddings(config["decoder_start_token_id"], ours, theirs, vocabularies, folder)
    bias = _taken(theirs, "final_logits_bias", (1, sizes[1]), folder, default=torch.zeros(1, sizes[1]))[0]
    weights["output_bias"] = output_bias(bias, vocabularies[1])
    if renormalises_without(generation, config["pad_token_id"]):
        weights["output_bias"][PAD] = IMPOSSIBLE
    if not weights["target_embedding.weight"][BOS].any():  # as in Marian: a rule then, and no row to be trained
        ours = replace(ours, start_of_target="zero")
    _check_positions(config, theirs, ours.positions, folder)
    if theirs:
        raise FormatError(
            f"`{folder}` must hold the tensors of a {config['model_type']} model and no others, but {min(theirs)} is "
            f"not one of them ({len(theirs)} in all)."
        )
    imported = ImportedModel(
        model=built(ours, weights, (source.size, target.size), str(folder)),
        model_config=ours,
        source_tokenizer=source,
        target_tokenizer=target,
        decoding=search_settings(generation),
        source_language=None,
        target_language=None,
        origin=f"Hugging Face {config['model_type']}",
        left_out=left_out(generation, config["pad_token_id"])
        + left_out_ids(generation, config)
        + hardly_numbered(folder, source, target),
    )
    about = optional_object(folder / "tokenizer_config.json")
    if config["model_type"] == MODEL_TYPE:
        return _multilingual(imported, about, generation)
    languages = _language(about.get("source_lang")), _language(about.get("target_lang"))
    return replace(imported, source_language=languages[0], target_language=languages[1])


def _multilingual(imported: ImportedModel, about: Mapping[str, Any], generation: Mapping[str, Any]) -> ImportedModel:
    """The same with the languages that its files name, if they do; the one to write costs nothing in a search."""
    vocabulary = vocabulary_of(imported.target_tokenizer)
    numbers = dict(zip(vocabulary.original_ids, vocabulary.pieces, strict=True))
    source, target = _language(about.get("src_lang")), _language(about.get("tgt_lang"))
    first, left = generation.get("forced_bos_token_id"), imported.left_out
    if isinstance(first, int) and numbers.get(first) in vocabulary.languages:
        target = numbers[first]
    elif first is not None:
        left += (f"`forced_bos_token_id` {first!r:.40}: the token that every output begins with, which is no language",)
    if about.get("legacy_behaviour") is True:
        left += ("`legacy_behaviour` True: a source with its language after its end. It is put before the text",)
    imported = replace(imported, left_out=left, decoding={**imported.decoding, "unscored_prefix": 1})
    return imported.between(*(name if name in _known(vocabulary) else None for name in (source, target)))


def _known(vocabulary: Vocabulary) -> set[str]:
    return {*vocabulary.languages, *vocabulary.language_names}


def _checked(config: dict[str, Any], folder: Path) -> dict[str, Any]:
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise FormatError(
            f"`{folder / 'config.json'}`: `model_type` must be one of {', '.join(KINDS)}, but is {kind!r:.40}. "
            "Other models are not the Transformer of the paper, or not yet imported."
        )
    if not config.get("decoder_vocab_size"):  # null, where it is that of both sides
        config = {**config, "decoder_vocab_size": config.get("vocab_size")}
    for name in _NUMBERS:
        value = config.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
            raise FormatError(
                f"`{folder / 'config.json'}`: `{name}` must be a whole number from 0 to {(1 << 31) - 1}, but is "
                f"{value!r:.40}."
            )
    for name in _SHARES:
        value = config.get(name, 0.0)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise FormatError(f"`{folder / 'config.json'}`: `{name}` must be a number, but is {value!r:.40}.")
    for name in ("attention_heads", "ffn_dim"):
        encoder, decoder = config[f"encoder_{name}"], config[f"decoder_{name}"]
        if encoder != decoder:
            raise FormatError(
                f"`{folder / 'config.json'}`: `encoder_{name}` and `decoder_{name}` must be equal, but are {encoder} "
                f"and {decoder}. A model with two sizes is not imported."
            )
    if kind == MODEL_TYPE and config["pad_token_id"] != FIRST_POSITION - 1:
        raise FormatError(
            f"`{folder / 'config.json'}`: `pad_token_id` must be {FIRST_POSITION - 1}, after which positions are "
            f"counted, but is {config['pad_token_id']}."
        )
    if config["max_position_embeddings"] > LARGEST_POSITION:
        raise FormatError(
            f"`{folder / 'config.json'}`: `max_position_embeddings` must be at most {LARGEST_POSITION}, but is "
            f"{config['max_position_embeddings']}."
        )
    if config["decoder_start_token_id"] >= config["decoder_vocab_size"]:
        raise FormatError(
            f"`{folder / 'config.json'}`: `decoder_start_token_id` must be below {config['decoder_vocab_size']}, the "
            f"size of the target vocabulary, but is {config['decoder_start_token_id']}."
        )
    config = {**dict.fromkeys(_TIES, True), "scale_embedding": _SCALED[kind], **config}
    for name in (*_TIES, "scale_embedding"):
        if not isinstance(config[name], bool):
            raise FormatError(
                f"`{folder / 'config.json'}`: `{name}` must be true or false, but is {config[name]!r:.40}."
            )
    activation = config.get("activation_function")
    if not isinstance(activation, str) or activation not in _ACTIVATIONS:
        raise FormatError(
            f"`{folder / 'config.json'}`: `activation_function` must be one of {', '.join(_ACTIVATIONS)}, but is "
            f"{activation!r:.40}."
        )
    return config


def _model_config(config: Mapping[str, Any], theirs: Mapping[str, Tensor], folder: Path) -> Any:
    try:
        return transformer_config(
            width=config["d_model"],
            inner_width=config["encoder_ffn_dim"],
            heads=config["encoder_attention_heads"],
            encoder_layers=config["encoder_layers"],
            decoder_layers=config["decoder_layers"],
            dropout=float(config.get("dropout", 0.1)),
            attention_dropout=float(config.get("attention_dropout", 0.0)),
            inner_dropout=float(config.get("activation_dropout", 0.0)),
            activation=_ACTIVATIONS[config["activation_function"]],
            norm=KINDS[config["model_type"]],
            norm_epsilon=_EPSILON,
            positions=_waves(config, theirs),
            position_offset=FIRST_POSITION if config["model_type"] == MODEL_TYPE else 0,
            scale_embedding=config["scale_embedding"],
            attention_bias=True,
            output_bias=True,
            tie=_tie(config, theirs),
            maximum_length=config["max_position_embeddings"],
        )
    except (ConfigError, TypeError, ValueError, OverflowError) as problem:
        raise FormatError(f"`{folder / 'config.json'}`: {problem}") from problem


def _tie(config: Mapping[str, Any], theirs: Mapping[str, Tensor]) -> Literal["all", "embeddings", "target", "none"]:
    """Which matrices are one; where the output is not tied, versions differ in what the config says of the others."""
    if config["tie_word_embeddings"]:
        return "all" if config["share_encoder_decoder_embeddings"] else "target"
    source, target = (theirs.get(name, theirs.get(_SHARED)) for name in (_SOURCE, _TARGET))
    return "embeddings" if source is None or target is None or torch.equal(source, target) else "none"


def _tokenizers(folder: Path, config: Mapping[str, Any], sizes: tuple[int, int]) -> tuple[Tokenizer, Tokenizer]:
    if config["model_type"] == "marian" or (folder / "source.spm").is_file():
        return marian_tokenizers(folder, config, sizes)
    if sizes[0] != sizes[1]:
        raise FormatError(
            f"`{folder / 'config.json'}`: `decoder_vocab_size` must be left out where both sides have one tokenizer, "
            f"but is {sizes[1]}."
        )
    kind = m2m100_tokenizer if config["model_type"] == MODEL_TYPE else pegasus_tokenizer
    tokenizer = kind(folder, config, sizes[0])
    return tokenizer, tokenizer


def _check_rows(config: Mapping[str, Any], theirs: Mapping[str, Tensor], folder: Path) -> None:
    """Before anything of the size that the config names is made, some tensor must be that large."""
    largest = max((max(tensor.shape, default=0) for tensor in theirs.values()), default=0)
    for name in ("vocab_size", "decoder_vocab_size", "d_model", "encoder_ffn_dim", "encoder_layers", "decoder_layers"):
        limit = len(theirs) if name.endswith("layers") else largest
        if config[name] > limit:
            raise FormatError(
                f"`{folder / 'config.json'}`: `{name}` must be that of the weights, at most {limit}, but is "
                f"{config[name]}."
            )


def _taken(
    theirs: dict[str, Tensor], name: str, shape: tuple[int, ...], folder: Path, default: Tensor | None = None
) -> Tensor:
    """A tensor, taken out of those that are left, if it has this shape."""
    if name not in theirs and default is not None:
        return default
    if name not in theirs:
        raise FormatError(f"`{folder}` must hold the tensor {name}, but does not. Download it again.")
    found = theirs.pop(name)
    if tuple(found.shape) != shape:
        raise FormatError(
            f"`{folder}`: {name} must have the shape {shape}, as config.json says, but has {tuple(found.shape)}."
        )
    return found


def _layers(config: Any, theirs: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    width, inner = config.width, config.inner_width
    shapes = {"inner.weight": (inner, width), "inner.bias": (inner,), "outer.weight": (width, inner)}
    weights = {}
    for ours, place in places(config).items():
        square = (width, width) if ours.endswith("weight") and "norm" not in ours and ".end." not in ours else (width,)
        shape = next((shape for name, shape in shapes.items() if ours.endswith(f"feedforward.{name}")), square)
        weights[ours] = _taken(theirs, place.name, shape, folder)
    return weights


def _embeddings(
    start: int,
    ours: Any,
    theirs: dict[str, Tensor],
    vocabularies: tuple[Vocabulary, Vocabulary],
    folder: Path,
) -> dict[str, Tensor]:
    """The matrices of pieces; tied ones are in the file under one of their names or under several."""
    if "source_embedding" not in _MATRICES[ours.tie] and vocabularies[0].original_ids != vocabularies[1].original_ids:
        raise FormatError(
            f"`{folder}` must give <unk> the same number in the vocabularies of both sides, since they share their "
            f"matrix, but gives {vocabularies[0].unk} and {vocabularies[1].unk} in {len(vocabularies[0].pieces) - 1} "
            f"and {len(vocabularies[1].pieces) - 1} pieces."
        )
    weights = {}
    for name, called in _MATRICES[ours.tie].items():
        vocabulary = vocabularies[name != "source_embedding"]
        matrix = _tied(theirs, called, (len(vocabulary.pieces) - 1, ours.width), folder)
        # No source begins with BOS, and the number of the start may be beyond the rows of the source.
        row = vocabulary.pad if name == "source_embedding" else start
        weights[f"{name}.weight"] = with_start(matrix, vocabulary, row)
    theirs.pop(_SHARED, None)  # where nothing is shared, nothing reads it
    return weights


def _tied(theirs: dict[str, Tensor], names: tuple[str, ...], shape: tuple[int, int], folder: Path) -> Tensor:
    first, *others = [name for name in names if name in theirs] or [names[0]]
    matrix = _taken(theirs, first, shape, folder)
    for other in others:
        if not torch.equal(_taken(theirs, other, shape, folder), matrix):
            raise FormatError(
                f"`{folder}`: {other} must equal {first}, since config.json says that they are one, but does not."
            )
    return matrix


def _waves(config: Mapping[str, Any], theirs: Mapping[str, Tensor]) -> Literal["halves", "tensor2tensor"]:
    """Those of M2M100, or of Marian itself where the file has their table, as our exports have; else the paper's."""
    table = theirs.get("model.encoder.embed_positions.weight")
    if config["model_type"] == MODEL_TYPE:
        return "tensor2tensor"
    if table is None or table.dim() != 2:
        return "halves"
    return "tensor2tensor" if _is_table(table, tensor2tensor_sinusoids(*table.shape)) else "halves"


def _is_table(found: Tensor, expected: Tensor) -> bool:
    """Whether these are the same waves, but for what rounding to the numbers of the file has changed."""
    return torch.allclose(found.float(), expected, rtol=torch.finfo(found.dtype).eps, atol=1e-3)


def _check_positions(config: Mapping[str, Any], theirs: dict[str, Tensor], waves: str, folder: Path) -> None:
    """A table of positions in the file must be the one that is computed."""
    length, width = config["max_position_embeddings"], config["d_model"]
    table = tensor2tensor_sinusoids if waves == "tensor2tensor" else halved_sinusoids
    called, expected = "weight", table(length, width)
    if config["model_type"] == MODEL_TYPE:
        called, expected = "weights", tensor2tensor_sinusoids(length + FIRST_POSITION, width)
        expected[FIRST_POSITION - 1] = 0.0
    for side in ("encoder", "decoder"):
        name = f"model.{side}.embed_positions.{called}"
        if name in theirs and not _is_table(_taken(theirs, name, tuple(expected.shape), folder), expected):
            raise FormatError(
                f"`{folder}`: {name} must be sines and cosines, but is another table, which is not imported."
            )


def _language(code: object) -> str | None:
    return code if isinstance(code, str) and 0 < len(code) <= 40 and code.isprintable() else None
