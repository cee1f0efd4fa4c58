"""Each what-if change against numpy, from the tensors of the unchanged trace."""

from functools import cache

import numpy as np
import pytest
import torch

from saccade.errors import ConfigError
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace
from saccade.tracing.what_if import WhatIf, shuffled_order

TEXT = "A dog runs behind."
FORCE = "The tea."
WHOLE = ("all", "parameters")


@pytest.fixture(scope="module", params=["paper", "pre-norm"])
def traced(request, bundle):
    """Traces of one model with one target, by what-if change; the scores are made larger, so that they matter."""
    model = bundle("transformer", request.param, encoder_layers=1, decoder_layers=1)
    with torch.no_grad():
        for name, parameter in model.model.named_parameters():
            if "attention.query" in name:
                parameter *= 3

    @cache  # tests only look at a trace
    def traced(**what_if):
        change = WhatIf(**what_if) if what_if else None
        return trace(model, TEXT, TraceOptions(force=FORCE, detail=WHOLE, what_if=change))

    return traced


@pytest.fixture(scope="module")
def base(traced):
    return traced()


def tensor(document, block: str, role: str):
    owner = next(owner for owner in (*document["blocks"], *document["layers"]) if owner["id"] == block)
    return from_json(document["tensors"][owner["tensors"][role]]).astype(np.float64)


def softmax(scores, mask):
    parts = np.exp(scores - scores.max(-1, keepdims=True)) * mask
    return parts / parts.sum(-1, keepdims=True)


def close(one, other, tolerance=2e-5):
    return one.shape == other.shape and np.abs(one - other).max() < tolerance


def differs(one, other):
    return np.abs(one - other).max() > 1e-3


def holds(document):
    return all(check["holds"] for check in document["checks"]) or pytest.fail(str(document["checks"]))


FIRST = ("enc.0.self", "dec.0.self")
"""What goes into these does not depend on any attention, so it is the same in both traces."""


@pytest.mark.parametrize("block", FIRST)
def test_without_scale_weights_are_the_softmax_of_the_products(traced, base, block):
    other = traced(name="no-scale")
    expected = softmax(tensor(base, block, "scores"), tensor(base, block, "mask"))
    assert close(tensor(other, block, "weights"), expected)
    assert differs(tensor(base, block, "weights"), expected)
    assert holds(other)


@pytest.mark.parametrize("block", FIRST)
def test_a_temperature_divides_the_scores(traced, base, block):
    other = traced(name="temperature", value=0.25)
    scale = next(each["scale"] for each in base["blocks"] if each["id"] == block)
    expected = softmax(tensor(base, block, "scores") * scale / 0.25, tensor(base, block, "mask"))
    assert close(tensor(other, block, "weights"), expected)
    assert differs(tensor(base, block, "weights"), expected)
    assert holds(other)


@pytest.mark.parametrize("block", FIRST)
def test_cosines_can_stand_in_for_products(traced, base, block):
    other = traced(name="score", value="cosine")
    q, k = tensor(base, block, "q"), tensor(base, block, "k")
    q, k = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (q, k))
    expected = softmax(q @ k.swapaxes(1, 2), tensor(base, block, "mask"))
    assert close(tensor(other, block, "weights"), expected)
    assert differs(tensor(base, block, "weights"), expected)
    assert holds(other)


def test_without_mask_the_decoder_sees_what_comes_later(traced, base):
    other = traced(name="no-mask")
    scale = base["blocks"][0]["scale"]
    scores = tensor(base, "dec.0.self", "scores")
    assert close(tensor(other, "dec.0.self", "weights"), softmax(scores * scale, np.ones_like(scores)))
    assert tensor(other, "dec.0.self", "mask").min() == 1
    assert close(tensor(other, "enc.0.self", "weights"), tensor(base, "enc.0.self", "weights"))
    assert holds(other)


def test_a_head_that_is_off_puts_out_zeros_and_the_others_what_they_did(traced, base):
    other = traced(name="head-off", block="enc.0.self", head=1)
    out = tensor(base, "enc.0.self", "head_out")
    out[1] = 0
    assert close(tensor(other, "enc.0.self", "head_out"), out)
    joined = out.swapaxes(0, 1).reshape(out.shape[1], -1)
    assert close(tensor(other, "enc.0.self", "out"), joined @ tensor(base, "enc.0.self", "w_o"))
    assert close(tensor(other, "dec.0.self", "weights"), tensor(base, "dec.0.self", "weights"))
    assert [check["name"] for check in other["checks"] if not check["holds"]] == []


def test_one_block_alone_can_be_changed(traced, base):
    other = traced(name="no-scale", block="dec.0.self")
    assert close(tensor(other, "enc.0.self", "weights"), tensor(base, "enc.0.self", "weights"))
    assert differs(tensor(other, "dec.0.self", "weights"), tensor(base, "dec.0.self", "weights"))


def weights_from(document, states):
    """The weights of the encoder's first block for what its layer reads."""
    block = document["blocks"][0]
    if block["norm"] == "pre":
        centred = states - states.mean(-1, keepdims=True)
        states = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + block["epsilon"])
        states = states * tensor(document, block["id"], "norm_gain") + tensor(document, block["id"], "norm_shift")
    q, k = (states @ tensor(document, block["id"], role) for role in ("w_q", "w_k"))
    q, k = (vectors.reshape(len(states), block["heads"], -1).swapaxes(0, 1) for vectors in (q, k))
    return softmax(q @ k.swapaxes(1, 2) * block["scale"], 1.0)


def embedding(document, role):
    return from_json(document["tensors"][document["embedding"]["source"]["tensors"][role]]).astype(np.float64)


def test_without_positions_the_first_layer_reads_tokens_alone(traced, base):
    other = traced(name="no-positions")
    expected = weights_from(base, embedding(base, "token"))
    assert close(tensor(other, "enc.0.self", "weights"), expected)
    assert differs(tensor(base, "enc.0.self", "weights"), expected)
    assert np.abs(embedding(other, "position")).max() == 0
    assert holds(other)


def test_shuffled_positions_are_those_of_the_order_it_names(traced, base):
    other = traced(name="shuffled-positions", value=5)
    dealt = other["what_if"]["order"]
    assert sorted(dealt) == list(range(len(dealt))) != dealt
    expected = weights_from(base, embedding(base, "token") + embedding(base, "position")[dealt])
    assert close(tensor(other, "enc.0.self", "weights"), expected)
    assert differs(tensor(base, "enc.0.self", "weights"), expected)
    assert holds(other)


SOFT = {"luong": {"alignment": "soft"}}
SINGLE = ["rnnsearch", "luong", "convs2s", "lstmn", "key-value-predict"]


@pytest.mark.parametrize(
    "architecture", ["rnnsearch", *(pytest.param(name, marks=pytest.mark.slow) for name in SINGLE[1:])]
)
def test_a_temperature_holds_for_single_heads_too(bundle, architecture):
    model = bundle(architecture, **SOFT.get(architecture, {}))
    with torch.no_grad():  # scores begin as nothing, or next to it
        for name, parameter in model.model.named_parameters():
            if name.endswith("vector"):
                parameter.fill_(1.0)
    base, other = (
        trace(model, TEXT, TraceOptions(force=FORCE, detail=("all",), what_if=what_if))
        for what_if in (None, WhatIf(name="temperature", value=0.01))
    )
    # The first row of the first block asks before anything has changed.
    block = base["blocks"][0]
    mask, scores = (tensor(base, block["id"], role) for role in ("mask", "scores"))
    row = int(mask.any(-1).argmax())
    if "blank" in block["tensors"]:
        row, scores = 0, np.concatenate([tensor(base, block["id"], "blank_scores")[..., None], scores], -1)
        mask = np.concatenate([np.ones((len(mask), 1)), mask], -1)
    expected = softmax(scores[:, row] * block["scale"] / 0.01, mask[row])
    found = tensor(other, block["id"], "weights")[:, row]
    assert close(found, expected[..., -found.shape[-1] :], 1e-4)
    assert holds(other)


@pytest.mark.parametrize(("architecture", "block"), [("luong", "dec.0.cross"), ("rnnsearch", "dec.0.cross")])
def test_a_single_head_can_be_off(bundle, architecture, block):
    what_if = WhatIf(name="head-off", block=block, head=0)
    model = bundle(architecture, **SOFT.get(architecture, {}))
    other = trace(model, TEXT, TraceOptions(detail=("all",), what_if=what_if))
    assert np.abs(tensor(other, block, "head_out")).max() == 0
    assert tensor(other, block, "weights").sum(-1) == pytest.approx(1)
    assert holds(other)


def test_products_need_vectors_of_one_width(bundle):
    with pytest.raises(ConfigError, match="one width"):
        trace(bundle("rnnsearch"), TEXT, TraceOptions(what_if=WhatIf(name="score", value="dot")))


def test_another_score_holds_for_single_heads_too(bundle):
    base, other = (
        trace(bundle("luong", **SOFT["luong"]), TEXT, TraceOptions(force=FORCE, detail=("all",), what_if=what_if))
        for what_if in (None, WhatIf(name="score", value="cosine"))
    )
    q, k = (tensor(base, "dec.0.cross", role) for role in ("q", "k"))
    q, k = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (q, k))
    expected = softmax(q[:, 0] @ k[0].T, 1.0)
    assert close(tensor(other, "dec.0.cross", "weights")[:, 0], expected)
    assert holds(other)


def test_heads_with_a_score_of_their_own_can_be_hotter_or_get_another_score(bundle):
    model = bundle("transformer-language-model", "additive", layers=1)
    with torch.no_grad():
        for parameter in model.model.decoder.layers[0].self_attention.score.parameters():
            parameter.normal_()  # they begin so small that all weights are equal

    def traced(change):
        return trace(model, TEXT, TraceOptions(force=FORCE, detail=WHOLE, what_if=change))

    base, hot, other = (
        traced(None),
        traced(WhatIf(name="temperature", value=2)),
        traced(WhatIf(name="score", value="dot")),
    )
    scores, mask = (tensor(base, "dec.0.self", role) for role in ("scores", "mask"))
    assert close(tensor(base, "dec.0.self", "weights"), softmax(scores, mask))
    assert close(tensor(hot, "dec.0.self", "weights"), softmax(scores / 2, mask))
    # Other scores compare the keys themselves, not what the model's own score made of them.
    products = tensor(other, "dec.0.self", "q") @ tensor(other, "dec.0.self", "k").swapaxes(1, 2)
    assert close(tensor(other, "dec.0.self", "weights"), softmax(products, mask))
    assert differs(tensor(other, "dec.0.self", "k"), tensor(base, "dec.0.self", "k"))
    with pytest.raises(ConfigError, match="no such part"):
        traced(WhatIf(name="no-scale"))


def test_what_a_model_does_not_have_cannot_be_left_out(bundle):
    for name in ("no-positions", "no-mask", "shuffled-positions", "no-scale"):
        with pytest.raises(ConfigError, match="no such part"):
            trace(bundle("rnnsearch"), TEXT, TraceOptions(what_if=WhatIf(name=name)))


@pytest.mark.slow
def test_the_model_itself_stays_as_it_is(bundle):
    model = bundle("transformer")
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    for name in ("no-positions", "no-scale", "shuffled-positions"):
        trace(model, TEXT, TraceOptions(what_if=WhatIf(name=name)))
    assert all(torch.equal(value, before[name]) for name, value in model.model.state_dict().items())


@pytest.mark.slow
def test_a_changed_trace_names_the_one_it_is_compared_with(bundle):
    model = bundle("transformer")
    other = trace(model, TEXT, TraceOptions(what_if=WhatIf(name="no-scale")))
    assert other["base_id"] == trace(model, TEXT)["id"] != other["id"]


def test_the_search_too_is_done_with_the_changed_model(bundle):
    model = bundle("transformer")
    other = trace(model, TEXT, TraceOptions(what_if=WhatIf(name="no-positions")))
    assert other["output"]["mode"] == "beam"
    assert holds(other)


def test_without_mask_the_translation_is_what_it_was(bundle):
    model = bundle("transformer")
    other = trace(model, TEXT, TraceOptions(what_if=WhatIf(name="no-mask")))
    assert other["output"]["text"] == trace(model, TEXT)["output"]["text"]


def test_the_same_seed_deals_the_same_order():
    assert shuffled_order(WhatIf(name="shuffled-positions", value=3), 11) == shuffled_order(
        WhatIf(name="shuffled-positions", value=3), 11
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "no-scales"}, "Did you mean 'no-scale'"),
        ({"name": "temperature", "value": 0}, "from 0.001"),
        ({"name": "score", "value": "additive"}, "'dot' or 'cosine'"),
        ({"name": "head-off", "block": "enc.0.self"}, "`head`"),
        ({"name": "no-scale", "heads": 1}, "'heads'"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(given, says):
    with pytest.raises(ConfigError, match=says):
        WhatIf.from_json(given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "head-off", "block": "enc.0.self", "head": 3}, "from 0 to 2"),
        ({"name": "no-scale", "block": "enc.7.self"}, "enc.0.self"),
    ],
)
def test_a_block_or_head_that_is_not_there_is_refused(bundle, given, says):
    with pytest.raises(ConfigError, match=says):
        trace(bundle("transformer"), TEXT, TraceOptions(what_if=WhatIf(**given)))
