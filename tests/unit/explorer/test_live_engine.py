"""A live page computes what Python computes: the same tokens, the same document, the same numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.explorer.engine_in_node import answers, request

from saccade.explorer.live_model import live_model
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace

TEXT = "A dog reads the sea."
LAYERS = [f"enc.{n}.{kind}" for n in range(2) for kind in ("self", "ffn")]
LAYERS += [f"dec.{n}.{kind}" for n in range(3) for kind in ("self", "cross", "ffn")]
ALL = ("beam", "embedding", "final", "memory", "parameters", "positions", *(f"block:{one}" for one in LAYERS))
"""Everything but what needs many passes."""
OWN = ("id", "tool", "checks", "options", "shuffle", "influence")
"""What a page says of itself, and what it does not compute."""


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
        return [] if abs(found - expected) <= 1e-4 else [f"{where}: {found} for {expected}"]
    return [] if found == expected else [f"{where}: {found!r} for {expected!r}"]


def compared(bundle, text: str = TEXT, **options: Any) -> list[str]:
    [found] = answers(live_model(bundle, "tiny"), [("trace", request(text, detail=list(ALL), **options))])
    expected = trace(bundle, text, TraceOptions(detail=ALL, **options), "tiny")
    for name in OWN:
        found.pop(name)
        expected.pop(name)
    return differences(found, expected)


@pytest.mark.parametrize("storage", ["int8", pytest.param("float32", marks=pytest.mark.slow)])
def test_the_document_of_a_sentence_is_python_s(bundle, storage):
    assert compared(stored(bundle("transformer"), storage)) == []


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
    assert compared(bundle("transformer", **changes), size=3) == []


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
    calls = [("trace", request(" ")), ("trace", request("1 " * 900)), ("trace", request("1", what_if={"name": "x"}))]
    found = answers(live_model(bundle("transformer"), "tiny"), calls)
    assert [one["problem"] for one in found] == [
        "There is no word in this sentence.",
        f"The sentence has {len(bundle('transformer').source_tokenizer.encode(['1 ' * 900])[0]) + 1} tokens, and at "
        f"most {min(256, bundle('transformer').model.maximum_length)} can be shown.",
        "This file cannot change its model.",
    ]


def stored(bundle, storage):
    """The same model as it comes back from a folder with this storage."""
    from saccade.serving.quantization import pack, unpack
    from saccade.weights import restore_weights, weights_of

    restore_weights(bundle.model, unpack(pack(weights_of(bundle.model), storage)))
    return replace(bundle, storage=storage)
