"""The gated systems where products run in bfloat16: recurrences keep their precision, and every path still works."""

import pytest
import torch

from saccade.models.catalogue import ARCHITECTURES, build
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCE = Sequences.of([[5, 11, 4, 9, 9, EOS], [18, 7, EOS]])
TARGET = Sequences.of([[6, 8, EOS], [4, 5, 4, 7, EOS]])
VARIANTS = [
    ("rnn-encoder-decoder", {}),
    ("rnn-encoder-decoder", {"cell": "lstm"}),
    ("rnnsearch", {}),
    ("rnnsearch", {"context": "last"}),
    ("rnnsearch", {"score": "general"}),
    ("rnnsearch", {"alignment": "local-p"}),
    ("rnnsearch", {"alignment": "hard"}),
    ("rnnsearch", {"cell": "gru-torch"}),
]


@pytest.mark.parametrize(("name", "changes"), VARIANTS, ids=str)
def test_training_and_writing_under_autocast(name, changes):
    torch.manual_seed(5)
    model = build(name, ARCHITECTURES[name].config(width=17, deviation=0.3, **changes), 23, 29).eval()
    memory = model.encode(SOURCE)
    assert all(tensor.dtype in (torch.float32, torch.bool) for tensor in memory.tensors())
    exact = model.decode(TARGET.reads, memory)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory = model.encode(SOURCE)
        rough = model.decode(TARGET.reads, memory)
        written, state = model.step(TARGET.reads.tokens[:, 0], model.start(memory))
        model.step(TARGET.reads.tokens[:, 1], state)
    assert all(tensor.dtype in (torch.float32, torch.bool) for tensor in memory.tensors())
    assert (rough.float() - exact).abs().max() < 0.05 * exact.abs().max()
    assert (written.float() - exact[:, 0]).abs().max() < 0.05 * exact.abs().max()
    rough.float().logsumexp(-1).sum().backward()
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "changes"), VARIANTS, ids=str)
@torch.no_grad()
def test_a_model_as_a_whole_in_bfloat16_writes(name, changes):
    torch.manual_seed(5)
    model = build(name, ARCHITECTURES[name].config(width=17, deviation=0.3, **changes), 23, 29).eval().bfloat16()
    memory = model.encode(SOURCE)
    at_once, (first, _) = model.decode(TARGET.reads, memory), model.step(TARGET.reads.tokens[:, 0], model.start(memory))
    assert at_once.dtype == first.dtype == torch.bfloat16
    assert at_once.isfinite().all()
