"""What the model of Kalchbrenner and Blunsom refuses."""

import pytest
import torch

from saccade.errors import ConfigError, InputError
from saccade.models.rctm import RCTM, RCTMConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"maximum_length": 0}, {"dropout": 1.0}, {"length_ratio": 0.0}, {"ngram": 3}, {"ngram": 1}]
)
def test_what_cannot_be_is_refused(wrong):
    [name] = wrong
    with pytest.raises(ConfigError, match=f"`{name}` must be"):
        RCTMConfig(**wrong)


def test_a_source_longer_than_there_are_kernels_for_is_refused():
    model = RCTM(RCTMConfig(width=5, source="sentence", maximum_length=7), 11, 11)
    model.encode(Sequences.of([[4] * 6 + [EOS]]))
    with pytest.raises(InputError, match="at most 7 tokens, for which this model has kernels, but has 8"):
        model.encode(Sequences.of([[4] * 7 + [EOS]]))


@pytest.mark.parametrize("source", ["sentence", "ngrams", "none"])
def test_dropout_is_for_training_alone(source):
    torch.manual_seed(1)
    model = RCTM(RCTMConfig(width=5, source=source, dropout=0.5), 11, 13)
    sentence, target = Sequences.of([[4, 5, 6, EOS]]), Sequences.of([[7, 8, EOS]])
    first, second = (model.decode(target.reads, model.encode(sentence)) for _ in range(2))
    assert not torch.allclose(first, second)
    model.eval()
    first, second = (model.decode(target.reads, model.encode(sentence)) for _ in range(2))
    assert torch.equal(first, second)
