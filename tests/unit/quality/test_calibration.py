"""Confidences are true on the text they were fitted on, in order, and survive being saved."""

import json
import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import FormatError
from saccade.quality.calibration import Calibration, MonotoneMap, Reliability
from saccade.quality.certainty import UNSURE, CertaintyBound
from saccade.quality.faults import Fault
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import TranslatedNames
from saccade.quality.profile import QualityProfile

JUDGED = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4, 0.7, 0.9]), st.booleans()), min_size=1, max_size=12)


@given(JUDGED)
def test_the_map_is_the_best_that_never_falls(judged):
    """Min-max formula of isotonic regression: max over lower, min over upper sets of the mean between them."""
    values = sorted({probability for probability, _ in judged})
    fitted = MonotoneMap.fitted(judged)

    def mean(low: float, high: float) -> float:
        own = [right for probability, right in judged if low <= probability <= high]
        return sum(own) / len(own)

    for value in values:
        expected = max(min(mean(low, high) for high in values if high >= value) for low in values if low <= value)
        # Between the middles of two pools the map is a straight line; a pool of one value has its own level.
        if any(math.isclose(point, value) for point, _ in fitted.points):
            assert fitted(value) == pytest.approx(expected)
    assert all(first[1] < second[1] and first[0] < second[0] for first, second in pairwise(fitted.points))


def test_calibration_mends_a_model_that_is_too_sure():
    draws = random.Random(5)
    words, sentences = [], []
    for _ in range(600):
        own = [draws.random() for _ in range(6)]
        words.append([(probability, draws.random() < probability**3) for probability in own])
        sentences.append((own[0], draws.random() < own[0] ** 2))
    found = Calibration.fitted(words, sentences)
    assert found.words is not None
    assert found.sentences is not None
    assert found.words.error_before > 0.2 > 0.05 > found.words.error
    assert found.sentences.error_before > 0.1 > found.sentences.error
    assert found.word(0.9) == pytest.approx(0.9**3, abs=0.1)


def test_the_error_is_the_mean_distance_of_the_bins():
    judged = [(0.95, True), (0.95, False), (0.05, False), (0.05, False)]
    found = Reliability.of(judged, MonotoneMap(((0.0, 0.0), (1.0, 1.0))))
    assert found.error == pytest.approx((2 * abs(0.95 - 0.5) + 2 * 0.05) / 4)
    assert [one.count for one in found.bins] == [2, 2]
    assert "| 0.95 | 2 | 0.50 |" in found.to_markdown("word")


def test_unsure_is_what_would_be_in_the_least_certain_tenth_of_held_out_text():
    outputs = [(-0.3 * place, 9) for place in range(40)]
    bound = CertaintyBound.learned([*outputs, (0.0, 0)])
    assert bound is not None
    assert sum(bool(bound(*output)) for output in outputs) == UNSURE * len(outputs)
    assert bound(-10.9, 9) == [Fault("unsure", "less certain than 90% of held-out text")]
    assert CertaintyBound.learned([]) is None
    assert bound(0.0, 0) == []


def test_one_bad_word_in_a_long_sentence_is_doubted_and_length_alone_is_not():
    bound = CertaintyBound(-1.0)
    assert bound(-29 * 0.05, 29) == []
    assert bound(-29 * 0.05 - 6.0, 30) != []
    assert math.exp((-29 * 0.05 - 6.0) / 30) > math.exp(-0.4)  # for the mean such a sentence is better than many


def test_a_profile_is_read_as_it_was_written(tmp_path):
    calibration = Calibration.fitted([[(0.5, True), (0.2, False)]] * 2, [(0.5, True), (0.4, False)], [(-3.0, 4)] * 2)
    assert calibration.certainty == CertaintyBound(-1.5)
    assert "below -1.50" in calibration.to_markdown()
    names = TranslatedNames(frozenset({"london"}), frozenset({"londres"}))
    profile = QualityProfile(LengthBounds(0.6, 1.8), names, calibration)
    profile.save(tmp_path / "quality.json")
    assert QualityProfile.load(tmp_path / "quality.json") == profile
    older = json.loads((tmp_path / "quality.json").read_text())
    del older["calibration"]["certainty"]
    (tmp_path / "quality.json").write_text(json.dumps(older))
    assert QualityProfile.load(tmp_path / "quality.json").calibration == replace(calibration, certainty=None)
    (tmp_path / "quality.json").write_text('{"format": 1, "lengths": 3}')
    with pytest.raises(FormatError, match="damaged or altered"):
        QualityProfile.load(tmp_path / "quality.json")


def test_where_nothing_was_judged_probabilities_stay_as_they_are():
    assert MonotoneMap.fitted([])(0.3) == 0.3
    punctuation = Calibration.fitted([[] for _ in range(4)], [(0.2, False)] * 4)
    assert punctuation.word(0.7) == 0.7
    assert punctuation.words == Reliability((), 0.0, 0.0)
