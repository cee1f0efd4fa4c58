"""Attention blocks and feed-forward layers of a trace, made from what modules recorded.

A block has queries along one axis, keys along another, and heads. `scores` are those before scaling and masking; where
a module recorded none, they are the products of its queries and keys. So softmax(scale * scores) over what the mask
allows must equal the recorded weights, and weights times values the output of each head: invariants.py checks both.
"""

from collections import Counter
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from saccade.tracing.forward_passes import ForwardPasses, ModuleRecord, Stack
from saccade.tracing.head_statistics import statistics
from saccade.tracing.tensors import TraceTensors

SHORT = {"encoder": "enc", "decoder": "dec"}
ATTENTION_PARAMETERS = {"w_q": "width heads", "w_k": "width heads", "w_v": "width heads", "w_o": "heads width"}
ATTENTION_PARAMETERS |= {"b_q": "heads", "b_k": "heads", "b_v": "heads", "b_o": "width"}
FFN_PARAMETERS = {"w_1": "width inner", "b_1": "inner", "w_2": "inner width", "b_2": "width"}
NORM_PARAMETERS = {"norm_gain": "width", "norm_shift": "width"}


def identities(passes: ForwardPasses, source_length: int) -> dict[str, str]:
    """The id of each attention and feed-forward network by the name of its module, in the order of computation."""
    ids: dict[str, str] = {}
    numbers: Counter[tuple[str, str]] = Counter()
    for stack, records in _stacks(passes):
        for record in records.values():
            kind = _kind(record, stack, passes, source_length)
            if kind is not None:
                ids[record.name] = f"{SHORT[stack]}.{numbers[stack, kind]}.{kind}"
                numbers[stack, kind] += 1
    return ids


def blocks_and_layers(
    passes: ForwardPasses, ids: dict[str, str], axes: dict[str, Any], tensors: TraceTensors
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All blocks and all feed-forward layers."""
    blocks, layers = [], []
    for stack, records in _stacks(passes):
        for record in records.values():
            if record.name not in ids:
                continue
            identity = ids[record.name]
            _, layer, kind = identity.split(".")
            head = {"id": identity, "stack": stack, "layer": int(layer), "kind": kind}
            queries = "source" if stack == "encoder" else "reads"
            if kind == "ffn":
                layers.append({**head, "axis": queries, **_feedforward(record, identity, tensors)})
            else:
                keys = "source" if kind == "cross" else queries
                blocks.append({**head, **_attention(record, identity, queries, keys, axes, tensors)})
    return blocks, layers


def _stacks(passes: ForwardPasses) -> tuple[tuple[Stack, dict[str, ModuleRecord]], ...]:
    return ("encoder", passes.encoder), ("decoder", passes.decoder)


def _kind(record: ModuleRecord, stack: Stack, passes: ForwardPasses, source_length: int) -> str | None:
    if record.has("hidden", "w_1"):
        return "ffn"
    if not record.has("weights"):
        return None
    if stack == "encoder":
        return "self"
    return "self" if passes.is_self_attention(record.name, source_length) else "cross"


def _attention(
    record: ModuleRecord, identity: str, queries: str, keys: str, axes: dict[str, Any], tensors: TraceTensors
) -> dict[str, Any]:
    recorded = _by_axes({name: _unbatched(value) for name, value in record.values.items()})
    weights, seen = recorded["weights"], recorded["mask"]
    names: dict[str, str] = {}
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
        names |= tensors.put(identity, role, recorded.get(name), dims)
    for role, dims in ATTENTION_PARAMETERS.items():
        names |= tensors.put(identity, role, recorded.get(role), dims)
    norm, norm_names = _residual(record, identity, "query", tensors)
    return {
        "score": recorded.get("score", "additive"),
        "alignment": recorded.get("alignment", "soft"),
        "query_axis": queries,
        "key_axis": keys,
        "heads": weights.shape[0],
        "scale": float(recorded.get("scale", 1.0)),
        "causal": bool(recorded.get("causal", False)),
        "sums_to_one": bool(recorded.get("sums_to_one", True) and seen.any(-1).all() and "blank" not in recorded),
        "off": [recorded["off"]] if "off" in recorded else [],
        "window": _window(recorded, weights.shape[1]),
        **norm,
        "tensors": names | norm_names,
        "stats": statistics(weights.double().cpu(), [token["special"] is not None for token in axes[keys]["tokens"]]),
    }


def _by_axes(recorded: dict[str, Any]) -> dict[str, Any]:
    """The same with a column for each key of the axis, a mask for every query, and scores.

    A tape begins with a blank slot that stands for no token: its weights are kept apart. Its last slot, if it was
    written at all, is never read.
    """
    weights = recorded["weights"]
    seen = recorded.get("mask")
    seen = torch.ones_like(weights[0], dtype=torch.bool) if seen is None else seen.expand(weights.shape[1:])
    recorded = {**recorded, "mask": seen}
    if "scores" not in recorded and "query" in recorded:
        recorded["scores"] = recorded["query"] @ recorded["keys"].transpose(-2, -1)
    if not recorded.get("blank", False):
        return recorded
    queries = weights.shape[1]
    recorded |= {"blank_weights": weights[..., 0], "blank_scores": recorded["scores"][..., 0]}
    for name in ("weights", "scores", "mask"):
        recorded[name] = functional.pad(recorded[name][..., 1:], (0, 1))
    for name in ("keys", "values", "k_hidden"):
        missing = queries + 1 - recorded[name].shape[1]
        recorded[name] = functional.pad(recorded[name][:, 1:], (0, 0, 0, missing))
    return recorded


def _feedforward(record: ModuleRecord, identity: str, tensors: TraceTensors) -> dict[str, Any]:
    recorded = {name: _unbatched(value) for name, value in record.values.items()}
    names: dict[str, str] = {}
    for role, name, dims in (
        ("in", "inputs", "query width"),
        ("hidden", "hidden", "query inner"),
        ("out", "out", "query width"),
    ):
        names |= tensors.put(identity, role, recorded.get(name), dims)
    for role, dims in FFN_PARAMETERS.items():
        names |= tensors.put(identity, role, recorded.get(role), dims)
    norm, norm_names = _residual(record, identity, "query", tensors)
    return {"activation": recorded["activation"], **norm, "tensors": names | norm_names}


def _residual(
    record: ModuleRecord, identity: str, axis: str, tensors: TraceTensors
) -> tuple[dict[str, Any], dict[str, str]]:
    """Pre-norm or post-norm, and the tensors of the residual sum and the norm around a sub-layer."""
    recorded = {name: _unbatched(value) for name, value in record.residual.items()}
    names: dict[str, str] = {}
    for role, name in (("resid_in", "before"), ("resid_sum", "sum"), ("norm_out", "normalised")):
        names |= tensors.put(identity, role, recorded.get(name), f"{axis} width")
    for role, dims in NORM_PARAMETERS.items():
        names |= tensors.put(identity, role, recorded.get(role), dims)
    place = recorded.get("norm", "none")
    return {"norm": None if place == "none" else place, "epsilon": recorded.get("epsilon")}, names


def _window(recorded: dict[str, Any], queries: int) -> dict[str, Any] | None:
    if recorded.get("reach") is None:
        return None
    centre = recorded.get("centre")
    places = list(range(queries)) if centre is None else [float(place) for place in centre.flatten()]
    return {"centre": places, "reach": int(recorded["reach"])}


def _unbatched(value: Any) -> Any:
    """The one sentence of a batch of one; parameters and plain values have no batch."""
    return value[0] if isinstance(value, Tensor) and value.dim() >= 3 else value
