"""A live page computes what Python computes: the same tokens, the same document, the same numbers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.explorer.engine_in_node import answers, request

from saccade.decoding.beam import beam_search
from saccade.explorer.live_model import live_model
from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace
from saccade.tracing.what_if import WhatIf

SENTENCES = Path(__file__).parents[2] / "contracts" / "sentences.txt"
TEXT = "A dog reads the sea."
LAYERS = [f"enc.{n}.{kind}" for n in range(2) for kind in ("self", "ffn")]
LAYERS += [f"dec.{n}.{kind}" for n in range(3) for kind in ("self", "cross", "ffn")]
ALL = ("beam", "embedding", "final", "influence", "memory", "parameters", "positions")
ALL += tuple(f"block:{one}" for one in LAYERS)
OWN = ("id", "base_id", "tool", "checks", "options")
"""What a page says of itself."""
OFF = {"name": "head-off", "block": "dec.0.cross"}
WHAT_IFS = [
    {"name": "head-off", "block": "enc.1.self", "head": 1},
    {"name": "no-scale"},
    {"name": "no-mask"},
    {"name": "temperature", "value": 2.5, "block": "dec.1.cross"},
    {"name": "score", "value": "cosine"},
    {"name": "no-positions"},
    {"name": "shuffled-positions", "value": 5},
]


def differences(found: Any, expected: Any, where: str = "") -> list[str]:
    """Where two documents differ by more than rounding."""
    if isinstance(expected, dict) and "dtype" in expected:
        one, other = from_json(found).astype(np.float64), from_json(expected).astype(np.float64)
        same = one.shape == other.shape and found["dims"] == expected["dims"]
        return [] if same and np.abs(one - other).max(initial=0.0) <= 1e-4 else [where]
    if isinstance(expected, dict):
        if found.keys() != expected.keys():
            return [f"{where}: {sorted(found.keys() ^ expected.keys())}"]
        return [line for key in expected for line in differences(found[key], expected[key], f"{where}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [line for at, (one, other) in pairs for line in differences(one, other, f"{where}[{at}]")]
    if isinstance(expected, float) and isinstance(found, int | float):
        return [] if abs(found - expected) <= 1e-4 * max(1.0, abs(expected)) else [f"{where}: {found} for {expected}"]
    return [] if found == expected else [f"{where}: {found!r} for {expected!r}"]


def compared(bundle, *asked: dict[str, Any], detail: tuple[str, ...] = ALL, without: tuple[str, ...] = ()) -> list[str]:
    """Where the page's documents of a sentence differ from Python's, for each of these options."""
    calls = [("trace", request(TEXT, detail=list(detail), **options)) for options in asked]
    found = answers(live_model(bundle, "tiny"), calls, without)
    return [
        line
        for one, options in zip(found, asked, strict=True)
        for line in differences(without_own(one), without_own(documented(bundle, options, detail)))
    ]


def documented(bundle, options: dict[str, Any], detail: tuple[str, ...]) -> dict[str, Any]:
    """Python's document, without the gradient, which a page does not compute."""
    given = {**options, "what_if": WhatIf(**options["what_if"])} if "what_if" in options else options
    expected = trace(bundle, TEXT, TraceOptions(detail=detail, **given), "tiny")
    if expected["influence"] and "gradient" in expected["influence"]["tensors"]:
        del expected["tensors"][expected["influence"]["tensors"].pop("gradient")]
    return json.loads(json.dumps(expected))


def without_own(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in OWN}


@pytest.mark.parametrize("storage", ["int8", pytest.param("float32", marks=pytest.mark.slow)])
def test_the_document_of_a_sentence_is_python_s(bundle, storage):
    assert compared(stored(bundle("transformer"), storage), {}) == []


@pytest.mark.slow
@pytest.mark.parametrize("without", [("digits",), ("digits", "products")], ids=["simd", "javascript"])
def test_so_it_is_in_browsers_that_lack_instructions(bundle, without):
    assert compared(stored(bundle("transformer"), "int8"), {"force": "A dog"}, without=without) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "pre"},
        {"norm": "residual"},
        {"attention_window": 1, "attention_bias": True, "start_of_target": "zero"},
        {"positions": "tensor2tensor", "tie": "none", "activation": "silu", "output_bias": True},
        {"positions": "learned", "key_width": 3, "value_width": 5},
    ],
    ids=lambda changes: "-".join(f"{name}={value}" for name, value in changes.items()),
)
@pytest.mark.slow
def test_so_it_is_with_other_settings(bundle, changes):
    assert compared(bundle("transformer", **changes), {"size": 3}) == []


RECURRENT = ("beam", "final", "memory", "positions", "recurrent", "block:dec.0.cross")


def test_rnnsearch_computes_what_python_computes(bundle):
    model = stored(bundle("rnnsearch"), "int8")
    assert compared(model, {"force": "A dog"}, detail=RECURRENT) == []


@pytest.mark.slow
def test_so_it_searches_and_measures_influence(bundle):
    assert compared(bundle("rnnsearch"), {"size": 2}, detail=(*RECURRENT, "influence")) == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["previous state", "general", "plain tanh", "Cho's unit", "torch's unit", "lstm"])
def test_so_do_its_variants(bundle, variant):
    assert compared(bundle("rnnsearch", variant), {"force": "A dog"}, detail=RECURRENT) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "variant"),
    [
        ("rnn-encoder-decoder", "paper"),
        ("seq2seq", "paper"),
        ("seq2seq", "source as it is"),
        ("seq2seq", "tied target"),
    ],
)
def test_models_that_remember_one_vector_compute_what_python_computes(bundle, architecture, variant):
    detail = ("beam", "final", "influence", "memory", "positions", "recurrent")
    assert compared(bundle(architecture, variant), {"size": 2}, detail=detail) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"reach": 2},
        {"alignment": "local-m", "reach": 1, "score": "location", "location_length": 4},
        {"input_feeding": False, "alignment": "soft", "score": "concat"},
        {"alignment": "soft", "score": "dot"},
        {"alignment": "sparsemax", "score": "cosine"},
        {"alignment": "top-k", "top_k": 2, "score": "activated-general"},
        {"alignment": "reinforced-subset"},
    ],
    ids=lambda changes: "-".join(map(str, changes.values())),
)
def test_luong_computes_what_python_computes(bundle, changes):
    assert compared(bundle("luong", **changes), {"size": 2}, detail=RECURRENT) == []


DEEP = ("beam", "embedding", "final", "memory", "positions", "recurrent")
DEEP += tuple(
    f"block:{stack}.{layer}.{kind}" for stack in ("enc", "dec") for layer in (0, 1) for kind in ("self", "cross")
)


def test_convs2s_computes_what_python_computes(bundle):
    assert compared(stored(bundle("convs2s"), "int8"), {"force": "A dog"}, detail=DEEP) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "variant"),
    [
        ("convs2s", "fairseq"),
        ("convs2s", "unscaled"),
        ("convs2s", "wide top"),
        ("convs2s", "attention in the last layer"),
        ("lstmn", "deep fusion"),
        ("lstmn", "shallow fusion"),
        ("lstmn", "shallow fusion, diagonal"),
        ("rctm", "RCTM II"),
        ("rctm", "RCTM II, other lengths"),
        ("rctm", "RCTM I"),
        ("rctm", "decoder alone"),
    ],
)
def test_convolutions_and_tapes_compute_what_python_computes(bundle, architecture, variant):
    assert compared(bundle(architecture, variant), {"size": 2}, detail=DEEP) == []


def test_a_short_source_has_as_many_columns_for_rctm_as_python_says(bundle):
    short = "A"
    model = bundle("rctm", "RCTM II", ngram=7)
    [found] = answers(live_model(model, "tiny"), [("trace", request(short, force="A", detail=["memory"]))])
    assert found["memory"]["kind"] == "vector"
    assert differences(found["memory"], trace(model, short, TraceOptions(force="A"), "tiny")["memory"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["convs2s", "lstmn", "rctm", "luong"])
def test_they_write_python_s_tokens(bundle, architecture):
    model = stored(bundle(architecture), "int8")
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    tokens = model.source_tokenizer.encode(lines)
    short = [(line, one) for line, one in zip(lines, tokens, strict=True) if len(one) < 25][:60]
    [found] = answers(live_model(model, "tiny"), [("outputs", [request(line, size=2) for line, _ in short])])
    searched = beam_search(model.model, Sequences.of([[*one, EOS] for _, one in short]), replace(model.search, size=2))
    assert found == [list(best.tokens) for best, *_ in searched]


def test_what_it_cannot_change_it_says(bundle):
    asked = [request("A dog", what_if={"name": name, "value": "dot"}) for name in ("no-scale", "no-positions", "score")]
    found = answers(live_model(bundle("rnnsearch"), "tiny"), [("trace", one) for one in asked])
    assert [one["problem"] for one in found] == [
        "This model has no part that “no-scale” changes.",
        "This model has no part that “no-positions” changes.",
        "Queries have 13 numbers here and keys 26, so they cannot be multiplied.",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "variant", "what_ifs"),
    [
        ("rnnsearch", "paper", [{"name": "temperature", "value": 2.5}, {**OFF, "head": 0}]),
        ("luong", "global", [{"name": "score", "value": "cosine"}]),
        ("luong", "local-m", [{"name": "temperature", "value": 0.5, "block": "dec.0.cross"}]),
        ("convs2s", "paper", [{**OFF, "head": 0}, {"name": "shuffled-positions", "value": 5}]),
        ("lstmn", "deep fusion", [{"name": "temperature", "value": 2.5}]),
        ("lstmn", "shallow fusion", [{"name": "score", "value": "dot"}]),
    ],
)
def test_what_ifs_change_attention_with_one_query(bundle, architecture, variant, what_ifs):
    asked = [{"what_if": one, "force": "A dog"} for one in what_ifs]
    found = compared(bundle(architecture, variant), *asked, detail=DEEP)
    # A page counts the parameters of the model that was exported, not those of another score.
    assert [line for line in found if not line.startswith((".counts", ".model.parameters"))] == []


def test_a_head_is_switched_off_as_python_does_it(bundle):
    asked = {"what_if": WHAT_IFS[0], "force": "A dog"}
    assert compared(bundle("transformer"), asked, detail=("weights",)) == []


@pytest.mark.slow
def test_what_ifs_change_the_model_as_python_changes_it(bundle):
    searched, *forced = WHAT_IFS[1:]
    asked = [{"what_if": searched, "size": 2}, *({"what_if": one, "force": "A dog"} for one in forced)]
    detail = tuple(one for one in ALL if one not in ("influence", "parameters"))
    assert compared(bundle("transformer"), *asked, detail=detail) == []


@pytest.mark.slow
def test_a_what_if_names_the_trace_that_it_differs_from(bundle):
    asked = [request(TEXT), request(TEXT, what_if={"name": "no-scale"})]
    base, changed = answers(live_model(bundle("transformer"), "tiny"), [("trace", one) for one in asked])
    assert changed["base_id"] == base["id"] != changed["id"]
    assert base["base_id"] is None


@pytest.mark.slow
def test_a_target_can_be_forced_and_a_beginning_given(bundle):
    model = bundle("transformer")
    asked = [request(TEXT, force="A dog", detail=list(ALL)), request(TEXT, prefix="The old", size=2)]
    forced, begun = answers(live_model(model, "tiny"), [("trace", one) for one in asked])
    expected = trace(model, TEXT, TraceOptions(force="A dog"), "tiny")
    assert forced["axes"] == expected["axes"]
    assert forced["output"]["logprob"] == pytest.approx(expected["output"]["logprob"], abs=1e-4)
    assert differences(begun["beam"], trace(model, TEXT, TraceOptions(prefix="The old", size=2), "tiny")["beam"]) == []


def test_what_it_cannot_show_it_says(bundle):
    what_ifs = {
        "There is no what-if “x”.": {"name": "x"},
        "A temperature is a number from 0.001 to 1000, not 0.": {"name": "temperature", "value": 0},
        "Another score is “dot” or “cosine”, not “sine”.": {"name": "score", "value": "sine"},
        "Which head of which block is switched off?": {"name": "head-off", "block": "dec.0.cross"},
        "This block has the heads 0 to 2, and no 9.": {"name": "head-off", "block": "dec.0.cross", "head": 9},
        "There is no block “dec.9.cross”.": {"name": "no-scale", "block": "dec.9.cross"},
    }
    asked = [request(" "), request("1 " * 900), *(request("1", what_if=one) for one in what_ifs.values())]
    found = answers(live_model(bundle("transformer"), "tiny"), [("trace", one) for one in asked])
    assert [one["problem"] for one in found] == [
        "There is no word in this sentence.",
        f"The sentence has {len(bundle('transformer').source_tokenizer.encode(['1 ' * 900])[0]) + 1} tokens, and at "
        f"most {min(256, bundle('transformer').model.maximum_length)} can be shown.",
        *what_ifs,
    ]


def stored(bundle, storage):
    """The same model as it comes back from a folder with this storage."""
    from saccade.serving.quantization import pack, unpack
    from saccade.weights import restore_weights, weights_of

    restore_weights(bundle.model, unpack(pack(weights_of(bundle.model), storage)))
    return replace(bundle, storage=storage)
