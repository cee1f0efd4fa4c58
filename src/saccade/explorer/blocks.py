"""Attention blocks and feed-forward layers of a trace, made from what modules told.

A block has queries along one axis, keys along another, and heads. `scores` are as they were before scaling and
masking: where a module told of none, the products of its queries and keys. So softmax(scale * scores) over what the
mask allows must give back the weights the model used, and weights times values what each head put out: the checks of
a trace recompute both.
"""

from collections import Counter
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from saccade.explorer.passes import Part, Passes, Stack
from saccade.explorer.statistics import statistics
from saccade.explorer.tensors import Shelf

SHORT = {"encoder": "enc", "decoder": "dec"}
ATTENTION_PARAMETERS = {"w_q": "width heads", "w_k": "width heads", "w_v": "width heads", "w_o": "heads width"}
ATTENTION_PARAMETERS |= {"b_q": "heads", "b_k": "heads", "b_v": "heads", "b_o": "width"}
FFN_PARAMETERS = {"w_1": "width inner", "b_1": "inner", "w_2": "inner width", "b_2": "width"}
NORM_PARAMETERS = {"norm_gain": "width", "norm_shift": "width"}


def identities(passes: Passes, source_length: int) -> dict[str, str]:
    """The id of each attention and feed-forward network by the name of its module, in the order of computation."""
    ids: dict[str, str] = {}
    numbers: Counter[tuple[str, str]] = Counter()
    for stack, told in _stacks(passes):
        for part in told.values():
            kind = _kind(part, stack, passes, source_length)
            if kind is not None:
                ids[part.name] = f"{SHORT[stack]}.{numbers[stack, kind]}.{kind}"
                numbers[stack, kind] += 1
    return ids


def blocks_and_layers(
    passes: Passes, ids: dict[str, str], axes: dict[str, Any], shelf: Shelf
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All blocks and all feed-forward layers."""
    blocks, layers = [], []
    for stack, told in _stacks(passes):
        for part in told.values():
            if part.name not in ids:
                continue
            identity = ids[part.name]
            _, layer, kind = identity.split(".")
            head = {"id": identity, "stack": stack, "layer": int(layer), "kind": kind}
            queries = "source" if stack == "encoder" else "reads"
            if kind == "ffn":
                layers.append({**head, "axis": queries, **_feedforward(part, identity, shelf)})
            else:
                keys = "source" if kind == "cross" else queries
                blocks.append({**head, **_attention(part, identity, queries, keys, axes, shelf)})
    return blocks, layers


def _stacks(passes: Passes) -> tuple[tuple[Stack, dict[str, Part]], ...]:
    return ("encoder", passes.encoder), ("decoder", passes.decoder)


def _kind(part: Part, stack: Stack, passes: Passes, source_length: int) -> str | None:
    if part.tells("hidden", "w_1"):
        return "ffn"
    if not part.tells("weights"):
        return None
    if stack == "encoder":
        return "self"
    return "self" if passes.looks_back(part.name, source_length) else "cross"


def _attention(
    part: Part, identity: str, queries: str, keys: str, axes: dict[str, Any], shelf: Shelf
) -> dict[str, Any]:
    told = _by_axes({name: _only(value) for name, value in part.what.items()})
    weights, seen = told["weights"], told["mask"]
    tensors: dict[str, str] = {}
    for role, name, dims in (
        ("weights", "weights", "head query key"),
        ("mask", "mask", "query key"),
        ("q", "query", "head query d"),
        ("k", "keys", "head key d"),
        ("v", "values", "head key d"),
        ("scores", "scores", "head query key"),
        ("head_out", "context", "head query d"),
        ("q_hidden", "q_hidden", "head query hidden"),
        ("k_hidden", "k_hidden", "head key hidden"),
        ("vector", "vector", "hidden"),
        ("blank", "blank_weights", "head query"),
        ("blank_scores", "blank_scores", "head query"),
        ("concat", "concat", "query heads"),
        ("out", "out", "query width"),
    ):
        tensors |= shelf.put(identity, role, told.get(name), dims)
    for role, dims in ATTENTION_PARAMETERS.items():
        tensors |= shelf.put(identity, role, told.get(role), dims)
    wiring, wired = _wiring(part, identity, "query", shelf)
    return {
        "score": told.get("score", "additive"),
        "alignment": told.get("alignment", "soft"),
        "query_axis": queries,
        "key_axis": keys,
        "heads": weights.shape[0],
        "scale": float(told.get("scale", 1.0)),
        "causal": bool(told.get("causal", False)),
        "sums_to_one": bool(told.get("sums_to_one", True) and seen.any(-1).all() and "blank" not in told),
        "off": [told["off"]] if "off" in told else [],
        "window": _window(told, weights.shape[1]),
        **wiring,
        "tensors": tensors | wired,
        "stats": statistics(weights.double().cpu(), [token["special"] is not None for token in axes[keys]["tokens"]]),
    }


def _by_axes(told: dict[str, Any]) -> dict[str, Any]:
    """The same with a column for each key of the axis, a mask for every query, and scores.

    A tape begins with a blank slot that stands for no token: what is paid to it is kept apart. Its last slot, if it
    was written at all, nobody reads.
    """
    weights = told["weights"]
    seen = told.get("mask")
    seen = torch.ones_like(weights[0], dtype=torch.bool) if seen is None else seen.expand(weights.shape[1:])
    told = {**told, "mask": seen}
    if "scores" not in told and "query" in told:
        told["scores"] = told["query"] @ told["keys"].transpose(-2, -1)
    if not told.get("blank", False):
        return told
    queries = weights.shape[1]
    told |= {"blank_weights": weights[..., 0], "blank_scores": told["scores"][..., 0]}
    for name in ("weights", "scores", "mask"):
        told[name] = functional.pad(told[name][..., 1:], (0, 1))
    for name in ("keys", "values", "k_hidden"):
        missing = queries + 1 - told[name].shape[1]
        told[name] = functional.pad(told[name][:, 1:], (0, 0, 0, missing))
    return told


def _feedforward(part: Part, identity: str, shelf: Shelf) -> dict[str, Any]:
    told = {name: _only(value) for name, value in part.what.items()}
    tensors: dict[str, str] = {}
    for role, name, dims in (
        ("in", "inputs", "query width"),
        ("hidden", "hidden", "query inner"),
        ("out", "out", "query width"),
    ):
        tensors |= shelf.put(identity, role, told.get(name), dims)
    for role, dims in FFN_PARAMETERS.items():
        tensors |= shelf.put(identity, role, told.get(role), dims)
    wiring, wired = _wiring(part, identity, "query", shelf)
    return {**wiring, "tensors": tensors | wired}


def _wiring(part: Part, identity: str, axis: str, shelf: Shelf) -> tuple[dict[str, Any], dict[str, str]]:
    """Where the norm stands, and the tensors of the sum and the norm around a sub-layer."""
    told = {name: _only(value) for name, value in part.wiring.items()}
    tensors: dict[str, str] = {}
    for role, name in (("resid_in", "before"), ("resid_sum", "sum"), ("norm_out", "normalised")):
        tensors |= shelf.put(identity, role, told.get(name), f"{axis} width")
    for role, dims in NORM_PARAMETERS.items():
        tensors |= shelf.put(identity, role, told.get(role), dims)
    place = told.get("norm", "none")
    return {"norm": None if place == "none" else place, "epsilon": told.get("epsilon")}, tensors


def _window(told: dict[str, Any], queries: int) -> dict[str, Any] | None:
    if told.get("reach") is None:
        return None
    centre = told.get("centre")
    places = list(range(queries)) if centre is None else [float(place) for place in centre.flatten()]
    return {"centre": places, "reach": int(told["reach"])}


def _only(value: Any) -> Any:
    """The one sentence of a batch of one; parameters and plain values have no batch."""
    return value[0] if isinstance(value, Tensor) and value.dim() >= 3 else value
