"""A session says how long a trace took to make."""

import torch

from saccade.explorer.session import Session
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions


def test_a_trace_says_how_long_it_took_and_keeps_saying_it(bundle):
    ticks = iter([10.0, 12.5])
    made = Session({"one": Translator([bundle("transformer")], torch.device("cpu"))}, clock=lambda: next(ticks))
    for _ in range(2):
        assert made.trace("one", "Two men are talking.", TraceOptions(force="The sea."))["seconds"] == 2.5
