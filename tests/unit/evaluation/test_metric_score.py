import numpy as np
import pytest

from saccade import __version__
from saccade.errors import InputError
from saccade.evaluation.bootstrap import SEED
from saccade.evaluation.metric_score import MetricOptions, MetricScore, percentage, ratio_score


def test_a_ratio_is_of_summed_counts_and_not_a_mean_of_ratios():
    score = ratio_score("m", "a metric", [(1, 2), (3, 11)], MetricOptions(), rule="rule", higher_is_better=True)
    assert score.value == pytest.approx(100 * 4 / 13)
    assert (score.metric, score.label, score.examples, score.interval) == ("m", "a metric", 2, None)
    assert score.signature == f"rule|saccade:{__version__}"


def test_the_signature_names_the_bootstrap_and_its_seed():
    score = ratio_score("m", "a metric", [(1, 2)], MetricOptions(resamples=2), rule="rule", higher_is_better=True)
    assert score.signature == f"rule|bs:2|seed:{SEED}|saccade:{__version__}"
    assert score.interval is not None
    assert MetricOptions(resamples=1).bootstrap_signature == ""


def test_our_seed_is_sacrebleus():
    assert SEED == 12345


def test_a_resample_without_anything_to_match_counts_as_zero():
    assert percentage(np.array([0.0, 0.0])) == 0


def test_references_without_text_are_refused():
    with pytest.raises(InputError, match="all empty"):
        ratio_score("m", "a metric", [(1, 0)], MetricOptions(), rule="rule", higher_is_better=True)


@pytest.mark.parametrize(("higher_is_better", "merit"), [(True, 31.0), (False, -31.0)])
def test_merit_is_what_is_maximised(higher_is_better, merit):
    assert MetricScore("m", "a metric", 31.0, higher_is_better, 7, "").merit == merit
