"""The LSTM systems and RCTM where products run in bfloat16: recurrences stay exact, and every path still works."""

import pytest
import torch

from saccade.models.catalogue import ARCHITECTURES, build
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCE = Sequences.of([[5, 11, 4, 9, 9, EOS], [18, 7, EOS]])
TARGET = Sequences.of([[6, 8, EOS], [4, 5, 4, 7, EOS]])
VARIANTS = [
    ("seq2seq", {"layers": 2}),
    ("luong", {"layers": 2}),
    ("luong", {"layers": 2, "input_feeding": False, "alignment": "soft", "score": "concat"}),
    ("luong", {"layers": 1, "alignment": "local-m", "score": "location"}),
    ("rctm", {}),
    ("rctm", {"length_ratio": 1.3}),
    ("rctm", {"source": "sentence"}),
    ("rctm", {"source": "none"}),
]


@pytest.mark.parametrize(("name", "changes"), VARIANTS, ids=str)
def test_training_and_writing_under_autocast(name, changes):
    torch.manual_seed(5)
    model = build(name, ARCHITECTURES[name].config(width=17, **changes), 23, 29).eval()
    exact = model.decode(TARGET.reads, model.encode(SOURCE))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory = model.encode(SOURCE)
        rough = model.decode(TARGET.reads, memory)
        written, state = model.step(TARGET.reads.tokens[:, 0], model.start(memory))
        model.step(TARGET.reads.tokens[:, 1], state)
    assert (rough.float() - exact).abs().max() < 0.05 * exact.abs().max()
    assert (written.float() - exact[:, 0]).abs().max() < 0.05 * exact.abs().max()
    rough.float().logsumexp(-1).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "changes"), VARIANTS, ids=str)
@torch.no_grad()
def test_a_model_as_a_whole_in_bfloat16_writes(name, changes):
    torch.manual_seed(5)
    model = build(name, ARCHITECTURES[name].config(width=17, **changes), 23, 29).eval().bfloat16()
    memory = model.encode(SOURCE)
    at_once, (first, _) = model.decode(TARGET.reads, memory), model.step(TARGET.reads.tokens[:, 0], model.start(memory))
    assert at_once.dtype == first.dtype == torch.bfloat16
    assert at_once.isfinite().all()
