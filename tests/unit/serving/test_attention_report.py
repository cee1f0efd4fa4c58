import json

import pytest
import torch

from saccade.errors import InputError
from saccade.evaluation.alignment_error import AlignmentError
from saccade.evaluation.attention_correctness import AttentionCorrectness
from saccade.serving.attention_report import (
    ALL_LAYERS,
    AlignmentReading,
    alignment_readings,
    best_head,
    best_layer,
    measure_attention,
    ways_to_read,
)
from saccade.serving.loading import load
from saccade.serving.word_alignment import Aligner

PAIRS = [("A dog runs.", "She reads in the street."), ("She reads.", "A dog runs behind the school.")]
GOLD = [[(0, 0), (1, 3)], [(1, 1), (0, 2)]]


@pytest.fixture(scope="module")
def translator(folder):
    return load(folder, device="cpu")


@pytest.fixture(scope="module")
def readings(translator):
    return alignment_readings(translator, PAIRS, GOLD)


def test_every_layer_is_read_and_all_of_them_together(translator, readings):
    assert [one.reading for one in readings[:3]] == ["layer 1", "layer 2", ALL_LAYERS]
    # Weight is linear in the weights: that of the mean of the layers is the mean of theirs.
    first, second, both = (one.correctness.correctness for one in readings[:3])
    assert both == pytest.approx((first + second) / 2)
    assert first != pytest.approx(second)


def test_every_head_is_read(readings):
    heads = [one for one in readings if one.reading.startswith("layer 2, head ")]
    assert [one.reading[-1] for one in heads] == ["1", "2", "3"]
    assert sum(one.correctness.correctness for one in heads) / 3 == pytest.approx(readings[1].correctness.correctness)
    assert len({one.correctness.correctness for one in heads}) == 3


def reading(name, error_rate):
    return AlignmentReading(name, AlignmentError(error_rate, 0.5, 0.5, 1), AttentionCorrectness(0.5, 0.2, 3))


def test_the_best_head_and_the_best_layer_are_single_ones():
    errors = {"layer 1": 0.3, "layer 2": 0.4, ALL_LAYERS: 0.0, "layer 1, head 1": 0.5, "layer 1, head 2": 0.6}
    errors |= {"layer 2, head 1": 0.7, "layer 2, head 2": 0.45}
    readings = [reading(name, error) for name, error in errors.items()]
    assert (best_layer(readings), best_head(readings)) == ("layer 1", "layer 2, head 2")


def test_the_only_head_of_a_layer_is_the_layer():
    ways = ways_to_read({"first": torch.rand(2, 1, 3, 5), "second": torch.rand(2, 1, 3, 5)})
    assert list(ways) == ["layer 1", "layer 2", ALL_LAYERS]
    assert best_head([reading("layer 1", 0.3), reading("layer 2", 0.2), reading(ALL_LAYERS, 0.1)]) == "layer 2"


def test_pairs_are_aligned_as_they_are_one_by_one(translator):
    aligner = Aligner(translator.model, translator.source_tokenizer, translator.target_tokenizer, translator.device)
    together, alone = aligner.align_pairs(PAIRS), [aligner.align_pairs([pair])[0] for pair in PAIRS]
    assert [one.links for one in together] == [one.links for one in alone]
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one.weights, other.weights, atol=1e-6, rtol=0)


def test_a_report_says_the_same_twice_as_text_and_as_json(translator):
    first = measure_attention(translator, PAIRS, GOLD, dropped=1)
    assert first.faithfulness == measure_attention(translator, PAIRS, None, dropped=1).faithfulness
    held = json.loads(first.to_json())
    assert f"{held['faithfulness']['most']['change']:.3f}" in first.to_text()
    assert f"{held['readings'][0]['alignment_error']['error_rate']:.3f}" in first.to_text()
    assert held["faithfulness"]["sentences"] == 2


def test_nothing_to_measure_is_refused(translator):
    with pytest.raises(InputError, match="pairs must be given"):
        measure_attention(translator, [], None, dropped=1)
