"""Checks that a trace agrees with itself: what must hold for every model and sentence, with the largest error.

    rows            each row of weights sums to one                                     (unless the alignment says no)
    range           no weight is below zero or above one
    masked          no weight lies where the mask forbids it
    causal          a causal mask shows nothing that comes later
    shapes          rows are as many as queries, columns as many as keys
    softmax         softmax(scale * scores) over what the mask allows is the weights    (or what the alignment makes)
    energies        scores are what the score's own equation gives
    values          weights times values are the output of each head
    steps           the log-probabilities of the steps sum to that of the output
    cached          weights and log-probabilities of decoding step by step are those of the whole pass
    beam            a node's sum is its parent's plus its own, at most `k` are kept, and the best is the output
    projection      the concatenated heads times W^O are the output of attention
    residual        the input of a sub-layer plus its output is the residual sum
    norm            layer norm with its gain and shift gives the normalised states
    feedforward     f(x W_1 + b_1) W_2 + b_2, with the activation f, is the output of the feed-forward layer
    reads           the input at t + 1 is the target token at t
    words           pieces added up to words keep the sums of rows
    logits          states times output rows, plus their bias, are the logits of the candidates

Each is a function of the document and its arrays alone, except `cached`, which needs the step-by-step pass. Errors of
vectors are relative to their largest number where that is above one.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from torch.nn import functional

from saccade.tracing.forward_passes import ForwardPasses
from saccade.tracing.tensors import Numbers, from_json

Document = dict[str, Any]
Array = np.ndarray[Any, np.dtype[np.float64]]
Arrays = Mapping[str, Numbers]


class Invariant(NamedTuple):
    """Something that must hold: the largest error found, and the largest allowed."""

    name: str
    error: float
    limit: float

    @property
    def holds(self) -> bool:
        """Whether the error is small enough."""
        return self.error <= self.limit

    def to_json(self) -> dict[str, Any]:
        """As a trace holds it."""
        return {"name": self.name, "error": self.error, "limit": self.limit, "holds": self.holds}


def checks(
    document: Document, arrays: Arrays, passes: ForwardPasses | None, ids: dict[str, str]
) -> list[dict[str, Any]]:
    """All invariants as the trace holds them; without passes, those of step-by-step decoding are left out."""
    found = [*invariants(document, arrays), *([] if passes is None else [cached(passes, ids), cached_logits(passes)])]
    return [check.to_json() for check in found]


def invariants(document: Document, arrays: Arrays | None = None) -> list[Invariant]:
    """The invariants of a document alone; by default with the arrays it contains, which need not be all."""
    if arrays is None:
        arrays = {name: from_json(held) for name, held in document["tensors"].items() if "data" in held}
    by_arrays = (rows, weight_range, masked, causal, shapes, softmax, energies, values)
    by_layer = (projection, residual, norm, feedforward)
    return [
        *(check(document, arrays) for check in (*by_arrays, *by_layer, words, logits)),
        *(check(document) for check in (steps, beam, reads)),
    ]


def rows(document: Document, arrays: Arrays) -> Invariant:
    """Each row sums to one."""
    errors = [
        np.abs(weights.sum(-1) - 1).max() for block, weights in _weights(document, arrays) if block["sums_to_one"]
    ]
    return Invariant("rows", _largest(errors), 1e-5)


def weight_range(document: Document, arrays: Arrays) -> Invariant:
    """Every weight lies in [0, 1]."""
    return Invariant(
        "range", _largest(max(-weights.min(), weights.max() - 1) for _, weights in _weights(document, arrays)), 1e-6
    )


def masked(document: Document, arrays: Arrays) -> Invariant:
    """A weight is zero where the mask is."""
    errors = []
    for block, weights in _weights(document, arrays):
        mask = _tensor(arrays, block, "mask")
        if mask is not None:
            errors.append((weights * (mask == 0)).max())
    return Invariant("masked", _largest(errors), 0.0)


def causal(document: Document, arrays: Arrays) -> Invariant:
    """A causal mask is lower triangular."""
    errors = []
    for block in document["blocks"]:
        mask = _tensor(arrays, block, "mask")
        if block["causal"] and mask is not None:
            errors.append(np.triu(mask, 1).max())
    return Invariant("causal", _largest(errors), 0.0)


def shapes(document: Document, arrays: Arrays) -> Invariant:
    """Blocks are as large as their axes."""
    wrong = 0
    for block, weights in _weights(document, arrays):
        axes = (len(document["axes"][block[axis]]["tokens"]) for axis in ("query_axis", "key_axis"))
        wrong += weights.shape != (block["heads"], *axes)
    return Invariant("shapes", float(wrong), 0.0)


def softmax(document: Document, arrays: Arrays) -> Invariant:
    """The softmax of scaled, masked scores is the weights; other alignments go on from there or from the scores."""
    errors = []
    for block, weights in _weights(document, arrays):
        found = _several(arrays, block, "scores", "mask")
        if found is None or block["alignment"] == "diagonal":
            continue
        scaled = np.where(found[1] > 0, found[0] * block["scale"], -np.inf)
        blank = _tensor(arrays, block, "blank_scores")
        beside = np.full(scaled.shape[:-1], -np.inf) if blank is None else blank * block["scale"]
        highest = np.maximum(np.max(scaled, axis=-1, initial=-1e30), beside)
        parts = np.exp(scaled - highest[..., None])
        total = parts.sum(-1) + np.exp(beside - highest)
        expected = parts / np.maximum(total, 1e-300)[..., None]
        errors.append(np.abs(_aligned(block, scaled, expected, weights) - weights).max())
    return Invariant("softmax", _largest(errors), 1e-5)


def _aligned(block: Mapping[str, Any], scaled: Array, softmax: Array, weights: Array) -> Array:
    """What the alignment of a block makes of its scores, or of their softmax.

    How many keys a top-k alignment or a drawn subset keeps is read off the weights: that they are those of the highest
    scores, and what each of them gets, is what is computed.
    """
    aligned: Array = softmax
    match block["alignment"]:
        case "hard" | "reinforced":
            aligned = np.eye(softmax.shape[-1])[softmax.argmax(-1)]
        case "local-p":
            centre, reach = np.array(block["window"]["centre"]), block["window"]["reach"]
            distance = np.arange(softmax.shape[-1]) - centre[:, None]
            aligned = softmax * np.exp(-(distance**2) / (2 * (reach / 2) ** 2))
        case "sigmoid":
            aligned = 1 / (1 + np.exp(-scaled))
        case "sparsemax":
            ordered = -np.sort(-np.where(np.isfinite(scaled), scaled, -1e9), axis=-1)
            ranks, sums = np.arange(1, scaled.shape[-1] + 1), ordered.cumsum(-1)
            supported = (1 + ranks * ordered > sums).sum(-1, keepdims=True)
            threshold = (np.take_along_axis(sums, supported - 1, -1) - 1) / supported
            aligned = np.maximum(scaled - threshold, 0.0)
        case "top-k" | "reinforced-subset":
            kept = (weights > 0).sum(-1, keepdims=True)
            lowest = np.take_along_axis(-np.sort(-scaled, axis=-1), np.maximum(kept - 1, 0), -1)
            parts = np.where((scaled >= lowest) & (kept > 0), softmax, 0.0)
            aligned = parts / np.maximum(parts.sum(-1, keepdims=True), 1e-300)
    return aligned


def energies(document: Document, arrays: Arrays) -> Invariant:
    """Scores are what the score's own equation gives: w^T tanh(q + k) where it has a vector, and else q^T k."""
    errors = []
    for block in document["blocks"]:
        if found := _several(arrays, block, "scores", "mask", "q_hidden", "k_hidden"):
            scores, mask, q, k = found
            vector = _tensor(arrays, block, "vector")
            if vector is None:
                expected = q @ k.swapaxes(1, 2)
            else:
                expected = np.stack([np.tanh(query[:, None] + k) @ vector for query in q.swapaxes(0, 1)], axis=1)
            errors.append(_relative_error(np.where(mask > 0, expected, scores), scores))
    return Invariant("energies", _largest(errors), 1e-5)


def values(document: Document, arrays: Arrays) -> Invariant:
    """Weights times values are the output of each head."""
    errors = []
    for block, weights in _weights(document, arrays):
        taken, out = _tensor(arrays, block, "v"), _tensor(arrays, block, "head_out")
        if taken is not None and out is not None:
            expected = weights @ taken
            expected[block["off"]] = 0
            errors.append(_relative_error(expected, out))
    return Invariant("values", _largest(errors), 1e-4)


def projection(document: Document, arrays: Arrays) -> Invariant:
    """Concat(heads) W^O is the output of attention."""
    errors = []
    for block in document["blocks"]:
        if found := _several(arrays, block, "concat", "w_o", "out"):
            bias = _tensor(arrays, block, "b_o")
            errors.append(_relative_error(found[0] @ found[1] + (0.0 if bias is None else bias), found[2]))
    return Invariant("projection", _largest(errors), 1e-5)


def residual(document: Document, arrays: Arrays) -> Invariant:
    """The input and the output of a sub-layer add up to the residual sum."""
    errors = [
        _relative_error(found[0] + found[1], found[2])
        for owner in (*document["blocks"], *document["layers"])
        if (found := _several(arrays, owner, "resid_in", "out", "resid_sum"))
    ]
    return Invariant("residual", _largest(errors), 1e-5)


def norm(document: Document, arrays: Arrays) -> Invariant:
    """(x - mean) / sqrt(variance + epsilon) * gain + shift: of the sum in post-norm, of the input in pre-norm."""
    errors = []
    for owner in (*document["blocks"], *document["layers"]):
        taken = "resid_sum" if owner["norm"] == "post" else "resid_in"
        if owner["norm"] and (found := _several(arrays, owner, taken, "norm_gain", "norm_shift", "norm_out")):
            states, gain, shift, out = found
            centred = states - states.mean(-1, keepdims=True)
            spread = np.sqrt((centred**2).mean(-1, keepdims=True) + owner["epsilon"])
            errors.append(_relative_error(centred / spread * gain + shift, out))
    return Invariant("norm", _largest(errors), 1e-5)


def feedforward(document: Document, arrays: Arrays) -> Invariant:
    """Two linear maps with an activation between them."""
    errors = []
    for layer in document["layers"]:
        if found := _several(arrays, layer, "in", "w_1", "b_1", "hidden", "w_2", "b_2", "out"):
            states, w_1, b_1, hidden, w_2, b_2, out = found
            errors += [
                _relative_error(_activated(states @ w_1 + b_1, layer.get("activation", "relu")), hidden),
                _relative_error(hidden @ w_2 + b_2, out),
            ]
    return Invariant("feedforward", _largest(errors), 1e-5)


def _activated(values: Array, activation: str) -> Array:
    if activation == "relu":
        found = np.maximum(values, 0)
    elif activation == "silu":
        found = values / (1 + np.exp(-values))
    elif activation == "quick_gelu":
        found = values / (1 + np.exp(-1.702 * values))
    else:
        found = values * (1 + np.vectorize(math.erf)(values / math.sqrt(2))) / 2
    return np.asarray(found)


def steps(document: Document) -> Invariant:
    """The steps' log-probabilities sum to the output's, without those of what was given."""
    total = sum(step["logprob"] for step in document["steps"][document["output"].get("unscored", 0) :])
    return Invariant("steps", abs(total - document["output"]["logprob"]), 1e-3)


def beam(document: Document) -> Invariant:
    """Sums along the tree are right, steps keep no more than the beam holds, and the best hypothesis is the output."""
    searched = document["beam"]
    if searched is None:
        return Invariant("beam", 0.0, 1e-9)
    nodes = searched["nodes"]
    errors = [abs(nodes[node["parent"]]["cum"] + node["logp"] - node["cum"]) for node in nodes[1:]]
    kept = Counter(node["t"] for node in nodes if node["state"] == "kept")
    errors += [float(max(0, count - searched["k"])) for count in kept.values()]
    best = searched["hypotheses"][searched["best"]]
    errors += [abs(best["cum"] - document["output"]["logprob"]), abs(best["cum"] / best["lp"] - best["score"])]
    errors.append(float(best["length"] != len(document["axes"]["target"]["tokens"])))
    return Invariant("beam", _largest(errors), 1e-9)


def reads(document: Document) -> Invariant:
    """The decoder's input is the target, shifted by one."""
    axes = document["axes"]
    written = [token["id"] for token in axes["target"]["tokens"]]
    read = [token["id"] for token in axes["reads"]["tokens"]]
    return Invariant("reads", float(sum(a != b for a, b in zip(read[1:], written[:-1], strict=True))), 0.0)


def words(document: Document, arrays: Arrays) -> Invariant:
    """Summing the columns of pieces to words keeps the sum of each row."""
    errors = []
    for block, weights in _weights(document, arrays):
        axes = document["axes"]
        if weights.shape[2] != len(axes[block["key_axis"]]["tokens"]):
            continue
        columns = [word["pieces"] for word in axes[block["key_axis"]]["words"]]
        summed = np.stack([weights[:, :, pieces].sum(-1) for pieces in columns], axis=-1)
        errors.append(np.abs(summed.sum(-1) - weights.sum(-1)).max())
    return Invariant("words", _largest(errors), 1e-5)


def logits(document: Document, arrays: Arrays) -> Invariant:
    """The states times the rows of the output matrix are the candidates' logits."""
    held = document["final"]["tensors"]
    if "rows" not in held or any(name not in arrays for name in held.values()):
        return Invariant("logits", 0.0, 1e-3)
    states, table = (arrays[held[role]].astype(np.float64) for role in ("states", "rows"))
    scored = np.einsum("tw,tcw->tc", states, table)
    if "bias" in held:
        scored += arrays[held["bias"]]
    written = np.array([[candidate["logit"] for candidate in step["top"]] for step in document["steps"]])
    return Invariant("logits", float(np.abs(scored - written).max(initial=0.0)), 1e-3)


def cached(passes: ForwardPasses, ids: dict[str, str]) -> Invariant:
    """Decoder attention weights step by step equal those of the pass over all positions."""
    errors = []
    for name, record in passes.decoder.items():
        if name not in ids or name not in passes.steps or not record.has("weights"):
            continue
        whole, stepped = record.values["weights"], passes.steps[name].values["weights"]
        longest = max(whole.shape[-1], stepped.shape[-1])
        padded = [functional.pad(each, (0, longest - each.shape[-1])) for each in (whole, stepped)]
        errors.append((padded[0] - padded[1]).abs().max())
    return Invariant("cached", _largest(errors), 1e-4)


def cached_logits(passes: ForwardPasses) -> Invariant:
    """Log-probabilities step by step equal those of the pass over all positions."""
    return Invariant(
        "cached_logits",
        float((passes.logits.log_softmax(-1) - passes.step_logits.log_softmax(-1)).abs().max()),
        1e-3,
    )


def _weights(document: Document, arrays: Arrays) -> Iterator[tuple[dict[str, Any], Array]]:
    for block in document["blocks"]:
        weights = _tensor(arrays, block, "weights")
        if weights is not None:
            yield block, weights


def _tensor(arrays: Arrays, block: dict[str, Any], role: str) -> Array | None:
    array = arrays.get(block["tensors"].get(role, ""))
    return None if array is None else array.astype(np.float64)


def _several(arrays: Arrays, owner: dict[str, Any], *roles: str) -> list[Array] | None:
    """Several tensors of a block or layer, if all are there."""
    found = [array for role in roles if (array := _tensor(arrays, owner, role)) is not None]
    return found if len(found) == len(roles) else None


def _relative_error(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max() / max(1.0, np.abs(other).max()))


def _largest(errors: Any) -> float:
    return max([0.0, *map(float, errors)])
