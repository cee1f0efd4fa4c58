"""Any score with any alignment."""

from itertools import product
from typing import get_args

import pytest
import torch

from saccade.attention.alignment_catalogue import AlignmentName
from saccade.attention.scores import ScoreName
from saccade.errors import ConfigError
from saccade.models.luong import Luong, LuongConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SOURCE = Sequences.of([[5, 9, 4, 7, 8, 6, EOS], [4, EOS]])
TARGET = Sequences.of([[6, 5, EOS], [9, 8, 7, 4, EOS]])


NEWER = ("top-k", "sparsemax", "sigmoid", "reinforced", "reinforced-subset")
"""A score is a number to them: one score, which also says "not at all", is enough for every day."""


@pytest.mark.parametrize(
    ("score", "alignment"),
    [
        pytest.param(score, alignment, marks=[pytest.mark.slow] * (alignment in NEWER and score != "location"))
        for score, alignment in product(get_args(ScoreName), get_args(AlignmentName))
    ],
)
@torch.no_grad()
def test_every_score_goes_with_every_alignment(score, alignment):
    torch.manual_seed(1)
    sizes = {"width": 5, "layers": 2, "initial_range": 0.7, "reach": 2, "location_length": 3}
    model = Luong(LuongConfig(**sizes, score=score, alignment=alignment), 11, 13).double().eval()
    memory = model.encode(SOURCE)
    at_once = model.decode(TARGET.reads, memory)
    state = model.start(memory)
    for position in range(TARGET.tokens.shape[1]):
        logits, state = model.step(TARGET.reads.tokens[:, position], state)
        torch.testing.assert_close(logits, at_once[:, position])


@pytest.mark.parametrize("feeding", [True, False])
def test_dropout_is_for_training_alone(feeding):
    torch.manual_seed(1)
    model = Luong(LuongConfig(width=5, layers=2, dropout=0.5, input_feeding=feeding), 11, 13)
    first, second = (model.decode(TARGET.reads, model.encode(SOURCE)) for _ in range(2))
    assert not torch.allclose(first, second)
    model.eval()
    first, second = (model.decode(TARGET.reads, model.encode(SOURCE)) for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"reach": 0}, {"location_length": 0}, {"dropout": 1.0}, {"initial_range": 0.0}]
)
def test_what_cannot_be_is_refused(wrong):
    [name] = wrong
    with pytest.raises(ConfigError, match=f"`{name}` must be"):
        LuongConfig(**wrong)
