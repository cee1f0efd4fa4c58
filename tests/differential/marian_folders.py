"""Folders of Marian as OPUS-MT publishes them, with random weights, and the model by plain loops over numpy.

Both are written from Marian's documentation and parameter names alone, and share nothing with what they test.
"""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from tests.differential.huggingface_folders import LANGUAGES, sentencepiece_model

WIDTH, INNER, HEADS, ENCODER, DECODER = 20, 29, 5, 2, 3
OPTIONS: dict[str, Any] = {
    "bert-train-type-embeddings": True, "dec-cell": "gru", "dec-cell-base-depth": 2, "dec-depth": DECODER,
    "dim-emb": WIDTH, "dim-rnn": 1024, "enc-depth": ENCODER, "enc-type": "bidirectional", "input-types": [],
    "layer-normalization": False, "lemma-dim-emb": 0, "right-left": False, "skip": False, "tied-embeddings": False,
    "tied-embeddings-all": True, "tied-embeddings-src": False, "transformer-decoder-autoreg": "self-attention",
    "transformer-dim-ffn": INNER, "transformer-ffn-activation": "swish", "transformer-ffn-depth": 2,
    "transformer-guided-alignment-layer": "last", "transformer-heads": HEADS, "transformer-no-projection": False,
    "transformer-postprocess": "dan", "transformer-postprocess-emb": "d", "transformer-preprocess": "",
    "transformer-tied-layers": [], "transformer-train-position-embeddings": False, "type": "transformer", "ulr": False,
    "version": "v1.7.8 63e1cfe4 2019-02-11 21:04:00 -0800",
}  # fmt: skip
PRE_NORM = {
    "transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n",
}  # fmt: skip
Arrays = dict[str, Any]
learned = cache(sentencepiece_model)


def random_arrays(source: int, target: int, options: dict[str, Any], seed: int = 11) -> Arrays:
    """Every parameter that Marian creates for these options."""
    draw = np.random.default_rng(seed)

    def matrix(*shape: int) -> Any:
        return draw.normal(scale=0.4, size=shape).astype(np.float32)

    arrays = {}
    pre = "_pre" if "n" in options["transformer-preprocess"] else ""

    def norm(name: str, suffix: str) -> None:
        arrays[f"{name}_ln_scale{suffix}"] = 1 + matrix(1, WIDTH)
        arrays[f"{name}_ln_bias{suffix}"] = matrix(1, WIDTH)

    for side, depth in (("encoder", ENCODER), ("decoder", DECODER)):
        for layer in range(1, depth + 1):
            for block in ("self", "context") if side == "decoder" else ("self",):
                for letter in "qkvo":
                    arrays[f"{side}_l{layer}_{block}_W{letter}"] = matrix(WIDTH, WIDTH)
                    arrays[f"{side}_l{layer}_{block}_b{letter}"] = matrix(1, WIDTH)
                norm(f"{side}_l{layer}_{block}_Wo", pre)
            for number, (rows, columns) in enumerate(((WIDTH, INNER), (INNER, WIDTH)), 1):
                arrays[f"{side}_l{layer}_ffn_W{number}"] = matrix(rows, columns)
                arrays[f"{side}_l{layer}_ffn_b{number}"] = matrix(1, columns)
            norm(f"{side}_l{layer}_ffn_ffn", pre)
        if "n" in options.get("transformer-postprocess-top", ""):
            norm(f"{side}_top", "")
    if options["tied-embeddings-all"] or options["tied-embeddings-src"]:
        arrays["Wemb"] = matrix(source, WIDTH)
    else:
        arrays |= {"encoder_Wemb": matrix(source, WIDTH), "decoder_Wemb": matrix(target, WIDTH)}
    if not options["tied-embeddings-all"] and not options["tied-embeddings"]:
        arrays["decoder_ff_logit_out_W"] = matrix(WIDTH, target)
    arrays["decoder_ff_logit_out_b"] = matrix(1, target)
    return arrays


def write_npz(path: Path, arrays: Arrays, options: dict[str, Any] | bytes) -> None:
    text = options if isinstance(options, bytes) else yaml.dump(options).encode()
    np.savez(path, **arrays, **{"special:model.yml": np.frombuffer(text + b"\0", dtype=np.int8)})


def marian_folder(folder: Path, *, separate: bool = False, **changes: Any) -> Arrays:
    """Writes an OPUS-MT folder in small, and returns its arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    both = []
    for name, seed, kind in (("source", 1, "unigram"), ("target", 2, "bpe")):
        model, pieces = learned(seed, kind, 110 + seed)
        (folder / f"{name}.spm").write_bytes(model)
        both.append(pieces[3:])
    vocabularies = both if separate else [list(dict.fromkeys(both[0] + both[1]))]
    files = ["opus.src.vocab.yml", "opus.trg.vocab.yml"] if separate else ["opus.spm-spm.vocab.yml"]
    sizes = []
    for name, pieces in zip(files, vocabularies, strict=True):
        numbered = {piece: number for number, piece in enumerate(["</s>", "<unk>", *pieces, *LANGUAGES])}
        (folder / name).write_text(yaml.dump(numbered, allow_unicode=True, sort_keys=False), encoding="utf-8")
        sizes.append(len(numbered))
    options = {**OPTIONS, "dim-vocabs": [sizes[0], sizes[-1]], **changes}
    arrays = random_arrays(sizes[0], sizes[-1], options)
    write_npz(folder / "opus.spm-spm.transformer-align.model1.npz.best-perplexity.npz", arrays, options)
    (folder / "decoder.yml").write_text(
        "relative-paths: true\nmodels:\n  - opus.spm-spm.transformer-align.model1.npz.best-perplexity.npz\nvocabs:\n"
        f"  - {files[0]}\n  - {files[-1]}\nbeam-size: 6\nnormalize: 0.8\nword-penalty: 0\nmini-batch: 1\n"
        "maxi-batch: 1\nmaxi-batch-sort: src\n"
    )
    return arrays


def positions(length: int) -> Any:
    """sin and cos of position / 10000^(i / (d/2 - 1)), all sines first: Marian's own."""
    table = np.zeros((length, WIDTH))
    half = WIDTH // 2
    for place in range(length):
        for wave in range(half):
            angle = place * math.exp(-wave * math.log(10000.0) / (half - 1))
            table[place, wave], table[place, half + wave] = math.sin(angle), math.cos(angle)
    return table


class PlainMarian:
    """Marian's Transformer for one sentence, written as its equations."""

    def __init__(self, arrays: Arrays, activation: str = "swish") -> None:
        self.arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
        self.activation = activation
        self.pre = "encoder_top_ln_scale" in arrays

    def logits(self, source: list[int], target: list[int]) -> Any:
        """Of every next token, when `target` has been written; the decoder begins with a vector of zeros."""
        memory = self._embedded("encoder", source)
        for layer in range(1, ENCODER + 1):
            memory = self._attend(f"encoder_l{layer}_self", memory, memory)
            memory = self._feedforward(f"encoder_l{layer}_ffn", memory)
        memory = self._on_top("encoder", memory)
        states = self._embedded("decoder", [None, *target])
        for layer in range(1, DECODER + 1):
            states = self._attend(f"decoder_l{layer}_self", states, states, causal=True)
            states = self._attend(f"decoder_l{layer}_context", states, memory)
            states = self._feedforward(f"decoder_l{layer}_ffn", states)
        states = self._on_top("decoder", states)
        arrays = self.arrays
        output = arrays.get("decoder_ff_logit_out_W")
        output = arrays.get("Wemb", arrays.get("decoder_Wemb")).T if output is None else output
        return states @ output + arrays["decoder_ff_logit_out_b"]

    def _embedded(self, side: str, tokens: list[int | None]) -> Any:
        table = self.arrays.get("Wemb", self.arrays.get(f"{side}_Wemb"))
        rows = [np.zeros(WIDTH) if token is None else table[token] for token in tokens]
        return math.sqrt(WIDTH) * np.array(rows) + positions(len(rows))

    def _on_top(self, side: str, states: Any) -> Any:
        return self._normalised(f"{side}_top", states) if self.pre else states

    def _attend(self, name: str, queries: Any, memory: Any, *, causal: bool = False) -> Any:
        arrays, size, before = self.arrays, WIDTH // HEADS, queries
        if self.pre:  # self-attention has normalised keys and values as well
            queries = self._normalised(f"{name}_Wo", queries, "_pre")
            memory = queries if name.endswith("_self") else memory
        query, key, value = (
            states @ arrays[f"{name}_W{letter}"] + arrays[f"{name}_b{letter}"]
            for letter, states in (("q", queries), ("k", memory), ("v", memory))
        )
        joined = np.zeros_like(queries)
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for row in range(len(queries)):
                seen = row + 1 if causal else len(memory)
                scores = [query[row, part] @ key[column, part] / math.sqrt(size) for column in range(seen)]
                shares = np.exp(np.array(scores) - max(scores))
                joined[row, part] = sum(
                    share / shares.sum() * value[column, part] for column, share in enumerate(shares)
                )
        attended = joined @ arrays[f"{name}_Wo"] + arrays[f"{name}_bo"]
        return before + attended if self.pre else self._normalised(f"{name}_Wo", before + attended)

    def _feedforward(self, name: str, states: Any) -> Any:
        arrays, before = self.arrays, states
        if self.pre:
            states = self._normalised(f"{name}_ffn", states, "_pre")
        hidden = states @ arrays[f"{name}_W1"] + arrays[f"{name}_b1"]
        if self.activation == "relu":
            hidden = np.maximum(hidden, 0)
        else:
            hidden = hidden / (1 + np.exp(-hidden * {"swish": 1.0, "gelu": 1.702}[self.activation]))
        added = before + hidden @ arrays[f"{name}_W2"] + arrays[f"{name}_b2"]
        return added if self.pre else self._normalised(f"{name}_ffn", added)

    def _normalised(self, name: str, states: Any, suffix: str = "") -> Any:
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-6)
        return scaled * self.arrays[f"{name}_ln_scale{suffix}"] + self.arrays[f"{name}_ln_bias{suffix}"]
