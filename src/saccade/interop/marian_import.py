"""A model that Marian trained as one of ours, from its own files: an OPUS-MT folder as it is published.

    decoder.yml, model.npz.decoder.yml    which model and vocabularies to use, and the search
    model.npz                             the weights, and the options of the model as YAML: special:model.yml
    vocab.yml, source.spm, target.spm     the tokenizers: `marian_vocabulary.py`

It is the Transformer of the paper, with biases, an activation and a bias of the output. Its decoder begins with a
vector of zeros. Its positions are those of tensor2tensor: all sines, then all cosines, the slowest with a wavelength of
exactly 10000 * 2 pi. Hugging Face and CTranslate2 run the same weights with the paper's waves instead.

Where the norms stand, options say in letters: n for a norm, a for the residual connection, d for dropout, which is of
no account here. After each sub-layer it is "dan", as in the paper. With the norm before it, `n` and `da`, versions of
Marian before 1.10 made keys and values of states that were not normalised, and had no norm on top of a stack. That norm
came together with the repair, so the option for it, `transformer-postprocess-top` n, tells which of the two models the
weights are: with it, it is the usual one, and imported. CTranslate2's converter takes the same two.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError, FormatError
from saccade.interop.checkpoint_files import PICKLED, Array, read_npz
from saccade.interop.imported_model import ImportedModel, built, transformer_config
from saccade.interop.marian_vocabulary import tokenizers, vocabulary_files
from saccade.interop.marian_weights import MarianWeights, Tie, our_weights, vocabulary_sizes
from saccade.interop.marian_yaml import Entries, parse_yaml, read_yaml, text_of

OPTIONS = "special:model.yml"
_POSITIONS = 1024  # positions are computed: any number of them, but for the memory they take
_ACTIVATIONS = {"swish": "silu", "relu": "relu", "gelu": "quick_gelu"}
_ONLY: dict[str, tuple[str, ...]] = {
    "type": ("transformer",),
    "transformer-decoder-autoreg": ("self-attention",),
    "transformer-postprocess-emb": ("d", ""),
    "transformer-ffn-activation": tuple(_ACTIVATIONS),
    "transformer-ffn-depth": ("2",),
    "transformer-decoder-ffn-depth": ("0", "2"),
    "transformer-no-projection": ("false",),
    "transformer-no-bias": ("false",),
    "transformer-no-affine": ("false",),
    "transformer-pool": ("false",),
    "transformer-train-position-embeddings": ("false",),
    "transformer-train-positions": ("false",),
    "transformer-tied-layers": ("[]", ""),
    "right-left": ("false",),
    "ulr": ("false",),
    "ulr-dim-emb": ("0",),
    "lemma-dim-emb": ("0",),
    "factors-dim-emb": ("0",),
    "input-types": ("[]", ""),
}
"""The options that make another model of it, with the values that are imported; one that is missing has the first."""
_NORMS: dict[tuple[str, ...], str] = {("", "an", ""): "post", ("n", "a", "n"): "pre"}
"""Where the norms stand, by the letters before a sub-layer, after it and on top of a stack, without dropout."""
_SEARCH = {"beam-size": "12", "normalize": "0"}  # Marian's own where decoder.yml says nothing
_NOTE = (
    "Its positions are those of Marian itself, with which it was trained. Hugging Face and CTranslate2 run weights of "
    "Marian with others, the paper's waves, so their outputs may differ, most of all those of long sentences."
)


def is_marian(source: Path) -> bool:
    """Whether this is a file of Marian's weights, or a folder with one."""
    if source.is_dir():
        return any(source.glob("*.npz")) or any(source.glob("*decoder.yml"))
    return source.is_file() and source.name.endswith((".npz", "decoder.yml", ".bin")) and source.name != PICKLED


def read_marian(source: Path) -> ImportedModel:
    """The model in a published folder, or in one file of it; whatever cannot be imported is refused in one line."""
    weights_file, search = _files(source)
    folder = weights_file.parent
    arrays = read_npz(weights_file)
    options = _options(arrays, f"{weights_file}: {OPTIONS}")
    theirs = MarianWeights({name: array for name, array in arrays.items() if name != OPTIONS}, str(weights_file))
    config = _model_config(options, f"{weights_file}: {OPTIONS}")
    files = vocabulary_files(folder, _listed(search, "vocabs"))
    source_tokenizer, target_tokenizer = tokenizers(folder, files, vocabulary_sizes(theirs, config.tie))
    vocabularies = source_tokenizer.vocabulary, target_tokenizer.vocabulary
    assert vocabularies[0] is not None
    assert vocabularies[1] is not None
    weights = our_weights(theirs, config, (vocabularies[0], vocabularies[1]))
    return ImportedModel(
        model=built(config, weights, (source_tokenizer.size, target_tokenizer.size), str(weights_file)),
        model_config=config,
        source_tokenizer=source_tokenizer,
        target_tokenizer=target_tokenizer,
        decoding=_search_settings(search, folder),
        source_language=None,
        target_language=None,
        origin=f"Marian's {weights_file.name}",
        left_out=_left_out(search),
        note=_NOTE,
    )


def _files(source: Path) -> tuple[Path, Entries]:
    """The file of weights, and what decoder.yml says."""
    folder = source if source.is_dir() else source.parent
    if source.name.endswith("decoder.yml") and source.is_file():
        descriptions = [source]
    else:
        descriptions = [source.with_name(f"{source.name}.decoder.yml")] if source.is_file() else []
        descriptions += [folder / "decoder.yml", *sorted(folder.glob("*.decoder.yml"))]
    search = next((read_yaml(path) for path in descriptions if os.path.lexists(path)), {})
    if source.is_file() and source not in descriptions:
        return _weights_file(source), search
    if named := _listed(search, "models"):
        if len(named) > 1:
            raise FormatError(
                f"`{folder}`: decoder.yml must name one model, but names {len(named)}. Import each alone."
            )
        return _weights_file(folder / Path(named[0]).name), search
    found = sorted(path for path in folder.glob("*.npz") if not path.name.endswith(".optimizer.npz"))
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise FormatError(f"`{folder}` must have one model (.npz), but has {names:.100}. Name the file instead.")
    return found[0], search


def _weights_file(path: Path) -> Path:
    if path.suffix != ".npz":
        raise FormatError(
            f"`{path}` must be Marian's weights as an archive of arrays (.npz), but is another file. "
            "Packed and quantized models (.bin) are not imported."
        )
    return path


def _listed(entries: Entries, name: str) -> list[str]:
    value = entries.get(name, [])
    return [value] if isinstance(value, str) and value else list(value)


def _options(arrays: Mapping[str, Array], where: str) -> Entries:
    """The options that Marian keeps among the weights, as the bytes of a text that ends in a zero."""
    found = arrays.get(OPTIONS)
    if found is None or found.dtype.itemsize != 1:
        raise FormatError(
            f"`{where}` must be the bytes of the options, but is not there: these are no weights of Marian."
        )
    return parse_yaml(found.tobytes().rstrip(b"\0"), where)


def _model_config(options: Entries, where: str) -> Any:
    for name, values in _ONLY.items():
        value = text_of(options, name, values[0])
        if value not in values:
            raise FormatError(
                f"`{where}`: `{name}` must be {' or '.join(value or repr(value) for value in values)}, but is "
                f"{value!r:.40}. Such models are not imported."
            )
    inner = _number(options, "transformer-dim-ffn", where)
    if _number(options, "transformer-decoder-dim-ffn", where, "0") not in (0, inner):
        raise FormatError(
            f"`{where}`: `transformer-decoder-dim-ffn` must be 0 or that of the encoder, {inner}, but is "
            f"{text_of(options, 'transformer-decoder-dim-ffn')}. A model with two sizes is not imported."
        )
    width, heads = _number(options, "dim-emb", where), _number(options, "transformer-heads", where)
    encoder_layers, decoder_layers = _number(options, "enc-depth", where), _number(options, "dec-depth", where)
    norm = _norm(options, where)
    try:
        return transformer_config(
            width=width,
            inner_width=inner,
            heads=heads,
            encoder_layers=encoder_layers,
            decoder_layers=decoder_layers,
            activation=_ACTIVATIONS[text_of(options, "transformer-ffn-activation", "swish")],
            norm=norm,
            positions="tensor2tensor",
            attention_bias=True,
            output_bias=True,
            start_of_target="zero",
            tie=_tie(options),
            maximum_length=_POSITIONS,
        )
    except (ConfigError, TypeError, ValueError) as problem:
        raise FormatError(f"`{where}`: {problem}") from problem


def _norm(options: Entries, where: str) -> str:
    usual = {"transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-top": ""}
    letters = {name: text_of(options, name, value) for name, value in usual.items()}
    found = _NORMS.get(tuple(value.replace("d", "") for value in letters.values()))
    if found is None:
        written = ", ".join(f"`{name}` {value!r:.20}" for name, value in letters.items())
        raise FormatError(
            f"`{where}`: the norms must stand after each sub-layer (`transformer-postprocess` dan and no others), or "
            f"before it and on top (`transformer-preprocess` n, `transformer-postprocess` da, "
            f"`transformer-postprocess-top` n), but are {written}. Such models are not imported."
        )
    return found


def _number(options: Entries, name: str, where: str, default: str = "") -> int:
    value = text_of(options, name, default)
    if not value.isdecimal() or len(value) > 9:
        raise FormatError(f"`{where}`: `{name}` must be a whole number, but is {value!r:.40}.")
    return int(value)


def _tie(options: Entries) -> Tie:
    every, source, target = (
        text_of(options, name, "false") == "true"
        for name in ("tied-embeddings-all", "tied-embeddings-src", "tied-embeddings")
    )
    if every or source:
        return "all" if every or target else "embeddings"
    return "target" if target else "none"


def _search_settings(search: Entries, folder: Path) -> dict[str, Any]:
    """Marian divides log P by a power of the length, and counts an end among the best `beam-size` candidates."""
    size, alpha = (text_of(search, name, value) for name, value in _SEARCH.items())
    try:
        settings: dict[str, Any] = {"size": int(size), "alpha": float(alpha), "length_rule": "power"}
        settings |= {"stop": "current-length", "ends": "beam"}
        BeamConfig(**settings)
    except (ConfigError, ValueError) as problem:
        raise FormatError(
            f"`{folder}`: `beam-size` and `normalize` of decoder.yml must be numbers that a search can have, but are "
            f"{size!r:.20} and {alpha!r:.20}."
        ) from problem
    return settings


def _left_out(search: Entries) -> tuple[str, ...]:
    """What decoder.yml asks for and our search does not do, a line each."""
    lines = []
    if text_of(search, "allow-unk", "false") != "true":
        lines.append("`allow-unk` false: never writing <unk>")
    if text_of(search, "word-penalty", "0").strip("0.") != "":
        lines.append(f"`word-penalty` {text_of(search, 'word-penalty'):.20}: a penalty for every token")
    return tuple(lines)
