"""One sentence through several models."""

import torch

from saccade.explorer.session import Session
from saccade.explorer.side_by_side import traces_side_by_side
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions

TEXT = "Two men are talking."


def session(bundle, *architectures):
    return Session({name: Translator([bundle(name)], torch.device("cpu")) for name in architectures})


def words(trace):
    return [word["text"] for word in trace["axes"]["target"]["words"] if word["special"] is None]


def test_every_model_has_its_own_trace_and_all_but_the_first_a_forced_one(bundle):
    found = traces_side_by_side(session(bundle, "transformer", "rnnsearch", "convs2s"), TEXT, TraceOptions())
    assert [(trace["model"]["id"], trace["role"]) for trace in found] == [
        ("transformer", "own"),
        ("rnnsearch", "own"),
        ("convs2s", "own"),
        ("rnnsearch", "forced"),
        ("convs2s", "forced"),
    ]


def test_what_is_forced_is_what_the_first_model_wrote(bundle):
    own, _, forced = traces_side_by_side(session(bundle, "transformer", "rnnsearch"), TEXT, TraceOptions())
    assert forced["options"]["force"] == own["output"]["text"]
    assert words(forced) == words(own)


def test_several_models_come_with_what_their_view_draws(bundle):
    found = traces_side_by_side(session(bundle, "transformer", "rnnsearch"), TEXT, TraceOptions())
    assert all(trace["memory"]["tensors"]["states"] in trace["tensors"] for trace in found)


def test_a_single_model_gives_what_was_asked_for_alone(bundle):
    (only,) = traces_side_by_side(session(bundle, "transformer"), TEXT, TraceOptions())
    assert only["options"]["detail"] == ["weights"]
