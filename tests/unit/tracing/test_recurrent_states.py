"""States and gates of recurrences against their equations; windows of convolutions against the config."""

import numpy as np
import pytest
import torch

from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace

TEXT, FORCE = "A dog runs behind.", "The old tea."


def traced(bundle, architecture, **changes):
    return trace(bundle(architecture, **changes), TEXT, TraceOptions(force=FORCE, detail=("all",)))


def layer(document, identity):
    found = next(each for each in document["recurrent"]["layers"] if each["id"] == identity)
    tensors = {role: from_json(document["tensors"][name]).astype(np.float64) for role, name in found["tensors"].items()}
    return found, tensors


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numbers(parameter):
    return parameter.detach().double().numpy()


def test_gates_of_an_lstm_are_those_of_its_equations(bundle):
    made = bundle("seq2seq", layers=1)
    document = traced(bundle, "seq2seq", layers=1)
    found, tensors = layer(document, "dec.0.rnn")
    assert found["gates"] == ["input", "forget", "output"]
    program = made.model.decoder.program
    w, u = numbers(program.weight_ih_l0), numbers(program.weight_hh_l0)
    b = numbers(program.bias_ih_l0) + numbers(program.bias_hh_l0)
    words = numbers(made.model.target_embedding.weight)[[token["id"] for token in document["axes"]["reads"]["tokens"]]]
    for place in range(1, len(words)):
        sums = w @ words[place] + u @ tensors["states"][place - 1] + b
        enters, stays, _, leaves = np.split(sigmoid(sums), 4)
        assert tensors["gates"][:, place] == pytest.approx(np.stack([enters, stays, leaves]), abs=1e-5)


def test_gates_of_a_gated_unit_explain_its_next_state(bundle):
    """h' = (1 - z) h + z h~, so between two states h' - h = z (h~ - h), and h~ never leaves [-1, 1]."""
    document = traced(bundle, "rnnsearch")
    found, tensors = layer(document, "enc.0.rnn")
    assert found["gates"] == ["reset", "update"]
    states, update = tensors["states"], tensors["gates"][1]
    candidate = states[:-1] + (states[1:] - states[:-1]) / update[1:]
    assert np.abs(candidate).max() <= 1 + 1e-4


def test_every_layer_below_is_followed_to_the_gates_of_the_top(bundle):
    """The states that come out of the gates are those the fused program gave."""
    made = bundle("luong", layers=3, input_feeding=False)
    stack = made.model.decoder
    inputs = torch.randn(1, 5, stack.program.input_size, generator=torch.Generator().manual_seed(1))
    carry = stack.initial_state(inputs)
    told = stack._gates(inputs, carry)
    outputs, after = stack(inputs, carry)
    assert told["gates"].shape == (1, 5, 3 * stack.width)
    leaves = told["gates"][0, -1].chunk(3)[2]
    assert torch.allclose(leaves * after.cell[0, -1].tanh(), outputs[0, -1], atol=1e-6)


def test_an_encoder_that_reads_backwards_says_so(bundle):
    document = traced(bundle, "rnnsearch")
    length = len(document["axes"]["source"]["tokens"])
    assert layer(document, "enc.0.rnn")[0]["order"] is None
    assert layer(document, "enc.1.rnn")[0]["order"] == list(range(length))[::-1]


def test_a_source_that_is_read_reversed_still_ends_with_its_end(bundle):
    document = traced(bundle, "seq2seq", reverse_source=True)
    length = len(document["axes"]["source"]["tokens"])
    assert layer(document, "enc.0.rnn")[0]["order"] == [*range(length - 2, -1, -1), length - 1]


def test_a_tape_is_a_recurrence_with_gates(bundle):
    document = traced(bundle, "lstmn")
    assert layer(document, "dec.0.rnn")[0]["gates"] == ["input", "forget", "output"]
    assert document["model"]["family"] == "recurrent"


def test_a_tape_pays_attention_to_a_blank_slot_first(bundle):
    document = traced(bundle, "lstmn")
    block = next(block for block in document["blocks"] if block["id"] == "enc.0.self")
    weights, blank = (from_json(document["tensors"][block["tensors"][role]]) for role in ("weights", "blank"))
    assert weights[0, 0].sum() == 0
    assert blank[0, 0] == 1
    assert weights.sum(-1) + blank == pytest.approx(1, abs=1e-6)
    assert np.triu(weights[0]).max() == 0


def test_windows_of_convolutions_are_those_of_the_config(bundle):
    made = bundle("convs2s")
    document = traced(bundle, "convs2s")
    kernel, config = made.model_config.kernel_width, made.model_config
    assert document["conv"]["stacks"]["encoder"] == [
        {"kernel": kernel, "before": kernel // 2} for _ in range(config.encoder_layers)
    ]
    assert document["conv"]["stacks"]["decoder"] == [
        {"kernel": kernel, "before": kernel - 1} for _ in range(config.decoder_layers)
    ]


def test_what_has_neither_says_neither(bundle):
    document = traced(bundle, "transformer")
    assert document["recurrent"] is None
    assert document["conv"] is None
